"""`/api/reviews`: shows what agents changed in their cages, and takes or discards changes for the person."""

from collections.abc import Callable
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.answers import success
from handrail.faces.http.context import HttpContext, Mount
from handrail.faces.http.credentials import caller, require_person
from handrail.faces.http.headers import trace_id
from handrail.faces.http.json_body import json_object
from handrail.features.review.file_view import file_view
from handrail.features.review.review import Review
from handrail.features.review.reviews import Reviews
from handrail.kernel.call import Call
from handrail.kernel.threads import run_for_caller

T = TypeVar("T")


def mount(context: HttpContext) -> Mount:
    reviews: Reviews = context.project.part("review")

    async def with_review(request: Request, work: Callable[[Review], T]) -> T:
        require_person(request, "Reviewing")

        def read() -> T:
            review = reviews.open(request.path_params["id"])
            try:
                return work(review)
            finally:
                review.close()

        return await run_for_caller(caller(request, context.person), read)

    async def list_reviews(request: Request) -> Response:
        require_person(request, "Reviewing")
        return success({"reviews": await run_for_caller(caller(request, context.person), reviews.listed)})

    async def list_items(request: Request) -> Response:
        return success({"items": await with_review(request, lambda review: review.items)})

    async def show_file(request: Request) -> Response:
        path = request.query_params.get("path", "")
        return success(await with_review(request, lambda review: file_view(review.change(path))))

    async def list_commits(request: Request) -> Response:
        require_person(request, "Fetching an agent's commits")
        cage_id = request.path_params["id"]
        commits = await run_for_caller(caller(request, context.person), lambda: reviews.commits(cage_id).fetch())
        return success({"commits": commits})

    async def take(request: Request) -> Response:
        require_person(request, "Taking changes")
        body = await json_object(request, {"items", "commit"})
        return await run(request, "take_changes", {**body, "cage": request.path_params["id"]})

    async def discard(request: Request) -> Response:
        require_person(request, "Discarding changes")
        await json_object(request, set())
        return await run(request, "discard_changes", {"cage": request.path_params["id"]})

    async def run(request: Request, tool: str, params: dict[str, Any]) -> Response:
        call = Call(tool, params, caller(request, context.person), trace_id=trace_id(request.scope))
        reply = await context.persons_gate.run(call)
        return success({"result": reply.result, "executionId": call.execution_id})

    return Mount(
        [
            Route("/api/reviews", list_reviews),
            Route("/api/reviews/{id}", list_items),
            Route("/api/reviews/{id}/file", show_file),
            Route("/api/reviews/{id}/commits", list_commits, methods=["POST"]),
            Route("/api/reviews/{id}/take", take, methods=["POST"]),
            Route("/api/reviews/{id}/discard", discard, methods=["POST"]),
        ]
    )

import { useEffect, useState } from "preact/hooks";
import { follow, open } from "../actions/following";
import { readModels } from "../actions/models";
import { conversationOf, openTask } from "../store";
import { connection } from "../../../store";
import { lazily } from "../../../ui/Lazy";
import { Start } from "./Start";
import { TaskRail } from "./TaskRail";
import "../chat.css";

const Talk = lazily(async () => (await import("./ConversationView")).ConversationView);
const Beside = lazily(async () => (await import("./TaskSidebar")).TaskSidebar);
const WIDE = "(min-width: 1180px)";

/** Tasks on the left, one of them in the middle, its context on the right. */
export function Chat() {
  const taskId = openTask.value;
  const [isBesideOpen, setIsBesideOpen] = useState(() => matchMedia(WIDE).matches);
  useEffect(follow, []);
  // After every connect, because events may have been missed.
  useEffect(() => {
    const isOffline = connection.value === "offline";
    if (!isOffline) void readModels().catch(() => undefined);
    // Another task is another conversation, even if it can't be read right now.
    if (taskId && (!isOffline || taskId !== conversationOf.value)) void open(taskId);
  }, [taskId, connection.value]);

  const isBeside = taskId !== "" && isBesideOpen;
  return (
    <div class={`chat-page ${taskId ? "with-task" : "without-task"} ${isBeside ? "with-beside" : ""}`}>
      <TaskRail />
      {taskId ? <Talk key={taskId} taskId={taskId} isBesideOpen={isBesideOpen} toggleBeside={() => setIsBesideOpen(!isBesideOpen)} /> : <Start />}
      {isBeside && <Beside taskId={taskId} />}
    </div>
  );
}

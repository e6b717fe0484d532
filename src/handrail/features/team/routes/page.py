"""The page where a member signs in with a token."""

from base64 import b64encode
from hashlib import sha256
from html import escape
from string import Template

_STYLE = """
body { display: grid; min-height: 100vh; place-items: center; margin: 0; }
main { box-sizing: border-box; width: min(26rem, 100vw); padding: 2rem; }
h1 { font-size: 1.5rem; margin: 0 0 1rem; }
p { margin: 0 0 1rem; padding: 0; }
form { display: grid; gap: .75rem; margin-top: 1.5rem; }
label { display: grid; gap: .25rem; font-weight: 600; }
input, button { font: inherit; padding: .6rem .75rem; border: 1px solid currentcolor; border-radius: .5rem; }
button { cursor: pointer; font-weight: 600; }
[role=alert] { font-weight: 600; }
"""
STYLE_SOURCE = f"'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'"
"""The style's hash for the page's content security policy."""
_PAGE = Template(
    """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in · handrail</title>
<link rel="icon" href="/static/handrail.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/tokens.css">
<link rel="stylesheet" href="/static/handrail.css">
<style>"""
    + _STYLE
    + """</style>
<main>
<h1>Sign in to $tenant</h1>
$wrong
$provider
<form method="post" enctype="text/plain">
<label>Token <input name="token" type="password" autocomplete="current-password" required autofocus></label>
<button>Sign in · 登录</button>
</form>
<p>An administrator gives you a token. <span lang="zh">令牌由管理员发放。</span></p>
</main>
</html>
"""
)
WRONG_TOKEN = "This token can't sign in. It may be revoked, or an agent's. · 此令牌无法登录。"


_PROVIDER = "<p><a href=/team/oidc>Sign in with your company account · 使用公司账号登录</a></p>"


def sign_in_page(tenant: str, *, wrong: str = "", has_provider: bool = False) -> str:
    alert = f"<p role=alert>{escape(wrong)}</p>" if wrong else ""
    return _PAGE.substitute(tenant=escape(tenant), wrong=alert, provider=_PROVIDER if has_provider else "")

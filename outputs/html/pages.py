"""Whole pages, parts for the pages of others, and the styles of both."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from typing import Final

from outputs.html.texts import html_line

SURFACES: Final = {"paper": ("#ffffff", "#16181d"), "panel": ("#f5f6f8", "#1e2127")}
"""What text stands on, in a light and in a dark scheme."""

PALETTE: Final = {
    "ink": ("#1c2026", "#e3e6eb"),
    "muted": ("#5a6270", "#9ea7b5"),
    "link": ("#1f5fbf", "#86b6ff"),
    "thought": ("#0f6674", "#72c6d4"),
    "tool": ("#8a2b8f", "#dba0e2"),
    "input": ("#2b6536", "#8fce9c"),
    "answer": ("#17692f", "#79d68f"),
    "observation": ("#2a5a9f", "#90b8f0"),
    "repaired": ("#855600", "#e6b552"),
    "ignored": ("#7c4668", "#d6a3c3"),
    "error": ("#b3261e", "#ff9189"),
}
"""The colours of text, in a light and in a dark scheme; each is easy to read on `SURFACES`."""

_LINES: Final = {"line": ("#dfe3e8", "#333840"), "track": ("#e9ecf0", "#2a2e36")}
"""The colours of lines and empty bars, which say nothing."""

_VARIABLES: Final = "".join(
    f"--ap-{name}:light-dark({light},{dark});"
    for name, (light, dark) in {**SURFACES, **PALETTE, **_LINES}.items()
)
_ALIASES: Final = {
    "content": "answer",
    "question": "observation",
    "skipped": "muted",
    "unread": "muted",
    "notice": "repaired",
    "marker": "muted",
    "dialect": "link",
}
"""Parts of a text that share the colour of another."""

_COLOURS: Final = "".join(
    f"\n.ap-{name}{{--ap-hue:var(--ap-{colour})}}"
    for name, colour in {**{name: name for name in PALETTE}, **_ALIASES}.items()
)

_RULES: Final = """
.ap-page{color-scheme:light dark;margin:0;background:var(--ap-paper)}
.ap{color-scheme:light dark;color:var(--ap-ink);background:var(--ap-paper);
font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;text-align:start;
box-sizing:border-box;max-width:64rem;overflow-wrap:anywhere;
--ap-mono:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
main.ap{margin:0 auto;padding:2.2rem 1.4rem 5rem}
div.ap{padding:.9rem 1.1rem;border:1px solid var(--ap-line);border-radius:8px;font-size:14px}
[data-jp-theme-light=true] .ap,.vscode-light .ap{color-scheme:light}
[data-jp-theme-light=false] .ap,.vscode-dark .ap,html[theme=dark] .ap{color-scheme:dark}
.ap *,.ap ::before,.ap ::after{box-sizing:border-box}
.ap :where(h1,h2,h3,p,ol,ul,dl,dd,dt){margin:0;padding:0;color:inherit;background:none;
float:none;width:auto;overflow:visible}
.ap :where(ol,ul){list-style:none}
.ap h1{font-size:1.3rem;line-height:1.3;font-weight:650;letter-spacing:-.01em}
.ap h2{font-size:.8rem;font-weight:600;color:var(--ap-muted)}
.ap a{color:var(--ap-link);text-decoration:none}
.ap a:hover{text-decoration:underline}
.ap :focus-visible{outline:2px solid var(--ap-link);outline-offset:2px;border-radius:3px}
.ap summary{cursor:pointer;list-style:none}
.ap summary::-webkit-details-marker{display:none}
.ap summary::before{content:"▸";color:var(--ap-muted);display:inline-block;width:1.1em}
.ap [open]>summary::before{content:"▾"}
.ap [hidden][hidden]{display:none}
.ap-sub{color:var(--ap-muted);font-size:.85rem}
.ap h1+.ap-sub{margin-top:.25rem}
.ap-hue{color:var(--ap-hue)}
.ap-badge{color:var(--ap-hue);border:1px solid;border-radius:9px;padding:0 .55em;
font-size:.75rem;line-height:1.5;white-space:nowrap}
.ap-badges{display:flex;flex-wrap:wrap;gap:.4rem;margin-top:.5rem}
.ap-text{white-space:pre-wrap;unicode-bidi:isolate;tab-size:4;min-width:0}
.ap-mono,.ap-source{font-family:var(--ap-mono);font-size:.84rem;line-height:1.6}
.ap-char{font:600 .72em var(--ap-mono);color:var(--ap-muted);border:1px solid var(--ap-line);
border-radius:3px;padding:0 .2em;unicode-bidi:isolate;white-space:nowrap}

.ap-source{position:relative;margin-top:1.1rem;padding:.7rem 1rem .7rem 8.4rem;line-height:1.95;
background:var(--ap-panel);border-radius:8px;--ap-hue:var(--ap-ink)}
.ap-plain{padding-left:1rem}
.ap-source>span{color:var(--ap-hue)}
.ap-source>.ap-tool,.ap-source>.ap-answer{font-weight:650}
.ap-source>.ap-skipped,.ap-source>.ap-unread{font-style:italic}
.ap-source>[data-part]::before{content:attr(data-part);position:absolute;left:1rem;width:6rem;
font:600 .68rem/2.35 system-ui,sans-serif;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;
color:var(--ap-hue);pointer-events:none}
.ap-source .ap-note{text-decoration:underline 1px;text-underline-offset:.25em}
.ap-source .ap-on-repaired{text-decoration-style:wavy;text-decoration-color:var(--ap-repaired)}
.ap-source .ap-on-ignored{text-decoration-style:dotted;text-decoration-color:var(--ap-ignored);
text-decoration-thickness:2px}
.ap-source .ap-on-error{text-decoration-style:solid;text-decoration-color:var(--ap-error);
text-decoration-thickness:2px}
.ap-source>.ap-ref{color:var(--ap-hue);text-decoration:none}
.ap-ref::after{content:attr(data-number);font:600 .66rem system-ui,sans-serif;vertical-align:super;
padding:0 .15em}
.ap-notes{margin-top:.8rem;font-size:.88rem}
.ap-notes>li{display:grid;grid-template-columns:6.4rem 1fr;gap:0 1rem;padding:.18rem 0}
.ap-notes>li>:first-child{color:var(--ap-hue);font-weight:600;font-size:.78rem;line-height:1.75}
.ap-source+.ap-notes>li,.ap-explained>.ap-notes>li{padding-left:1rem}
.ap :target{background:color-mix(in srgb,var(--ap-link) 13%,transparent);border-radius:4px}

.ap-fields>div{display:grid;grid-template-columns:6.4rem 1fr;gap:0 1rem;padding:.22rem 0}
.ap-fields dt{color:var(--ap-hue);font-weight:600;font-size:.78rem;line-height:1.95}
.ap-explained>.ap-fields{margin-top:1rem;padding:0 1rem}
.ap-fields .ap-call{font-weight:650;color:var(--ap-tool)}
.ap-more{margin:.2rem 0}
.ap-more>summary{color:var(--ap-muted);font-size:.8rem}

.ap-figures{display:flex;flex-wrap:wrap;gap:.4rem 2.2rem;margin:1.3rem 0 1.5rem}
.ap-figures dt{color:var(--ap-muted);font-size:.8rem}
.ap-figures dd{font-size:1.5rem;font-weight:600;line-height:1.2;font-variant-numeric:tabular-nums}
.ap-figures>div{display:flex;flex-direction:column-reverse}
.ap-unread{margin-bottom:1.3rem}
.ap-charts{columns:24rem 2;column-gap:2.8rem;margin-bottom:.4rem}
.ap-charts>section{break-inside:avoid;padding-bottom:1.3rem}
.ap-row>summary{display:grid;grid-template-columns:1rem minmax(0,11rem) 1fr minmax(2rem,auto);
gap:0 .5rem;align-items:center;padding:.12rem 0;font-size:.86rem}
.ap-row bdi{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.ap-row[open] bdi{white-space:normal}
.ap-row svg{display:block;width:100%;height:.5rem;border-radius:2px;fill:var(--ap-track)}
.ap-row svg :last-child{fill:var(--ap-hue)}
.ap-count{text-align:end;font-variant-numeric:tabular-nums;color:var(--ap-muted)}
.ap-links{padding:.2rem 0 .5rem 1.5rem;font-size:.8rem;max-height:12rem;overflow:auto}
.ap-links a{margin-inline-end:.9em;white-space:nowrap}

.ap-filter{display:flex;flex-wrap:wrap;gap:.5rem .8rem;align-items:center;margin:0 0 1.2rem;
padding:.7rem .9rem;background:var(--ap-panel);border-radius:8px;font-size:.86rem}
.ap-filter :is(input,select,button){font:inherit;color:inherit;background:var(--ap-paper);
border:1px solid var(--ap-line);border-radius:6px;padding:.25rem .5rem;max-width:100%}
.ap-filter label{display:flex;gap:.5rem;align-items:center;min-width:0;white-space:nowrap}
.ap-filter select{min-width:0;flex:1}

.ap-run{border-top:1px solid var(--ap-line)}
.ap-run>summary{padding:.65rem 0;display:grid;grid-template-columns:1rem 4.2rem 1fr auto;
gap:0 .6rem;align-items:baseline}
.ap-run>summary>b{font-weight:600;white-space:nowrap}
.ap-run>summary>bdi{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;min-width:0}
.ap-run>summary>.ap-sub{grid-column:3/-1;grid-row:2}
.ap-run>summary>.ap-badges{margin:0;flex-wrap:nowrap}
.ap-run>.ap-whole{padding:0 0 1.2rem 1.6rem}
.ap-whole>.ap-fields{margin:.6rem 0}
.ap-steps>li{content-visibility:auto;contain-intrinsic-size:auto 9rem;padding:.7rem 0 .7rem 1rem;
border-left:3px solid var(--ap-hue);margin-top:.6rem}
.ap-head{display:flex;flex-wrap:wrap;gap:.2rem .6rem;align-items:baseline;font-size:.86rem}
.ap-head>a{color:var(--ap-muted);font-variant-numeric:tabular-nums}
.ap-steps .ap-notes{margin-top:.3rem}
.ap-steps .ap-source{margin-top:.4rem}
.ap-foot{margin-top:2rem;color:var(--ap-muted);font-size:.78rem}

@media(max-width:40rem){
main.ap{padding:1.2rem .9rem 4rem}
.ap-fields>div,.ap-notes>li{display:block;padding:.3rem 0}
.ap-source{padding:.7rem .7rem .7rem 5.2rem}
.ap-source>[data-part]::before{left:.7rem;width:4.2rem;font-size:.6rem;line-height:2.66}
.ap-plain{padding-left:.7rem}
.ap-source+.ap-notes>li,.ap-explained>.ap-notes>li{padding-left:.7rem}
.ap-explained>.ap-fields{padding:0 .7rem}
.ap-figures{gap:.6rem 1.6rem}
.ap-figures dd{font-size:1.25rem}
.ap-row>summary{grid-template-columns:1rem minmax(0,8rem) 1fr minmax(2rem,auto)}
.ap-run>summary{grid-template-columns:1rem 1fr auto}
.ap-run>summary>bdi{grid-column:2/-1;grid-row:2;color:var(--ap-muted)}
.ap-run>summary>.ap-sub{grid-column:2/-1;grid-row:3}
.ap-run>summary>.ap-badges{flex-wrap:wrap;justify-content:flex-end}
.ap-run>.ap-whole{padding-left:0}
.ap-steps>li{padding-left:.7rem}
}
@media print{
.ap-filter{display:none}
.ap details:not(.ap-row)::details-content{content-visibility:visible;block-size:auto}
.ap-steps>li{content-visibility:visible}
}
"""

_SCOPE: Final = ":is(.ap,#ap)"
"""The root, which no page gives this id; with an id in it, the rules of a notebook do not win."""

_SCOPED: Final = re.sub(
    r"(?m)(?:^|(?<=,))(?:\.ap |(?=\.ap-(?!page)))", f"{_SCOPE} ", _COLOURS + _RULES
)

STYLES: Final = f":where(.ap,.ap-page){{{_VARIABLES}}}{_SCOPED}".replace("\n", "")
"""The styles as CSS, whose rules are for elements in one of the class ``ap``."""


# -- pages -----------------------------------------------------------------------------------------


def page(body: str, *, title: str, script: str = "") -> str:
    """Return an HTML page with *body*; it loads nothing, and runs no script except *script*.

    Its policy (``Content-Security-Policy``) names its own styles and script by their hashes, and
    forbids every other style, script, picture, font, frame, form and request.

    Args:
        body: HTML, in which every text went through `html_text` or `html_line`.
        title: The title, as text.
        script: JavaScript that belongs to the page.
    """
    policy = [
        "default-src 'none'",
        f"style-src {_hash(STYLES)}",
        f"script-src {_hash(script)}" if script else "script-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    end = f"<script>{script}</script>\n" if script else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{html_line(title)}</title>\n<style>{STYLES}</style>\n</head>\n"
        f'<body class="ap-page">\n<main class="ap">\n{body}\n</main>\n{end}</body>\n</html>\n'
    )


def fragment(body: str) -> str:
    """Return *body* with its styles, to be embedded in another page, such as a notebook."""
    return f'<div class="ap"><style>{STYLES}</style>{body}</div>'


def _hash(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"

"""The filter of a report: its form, and the script, without which the form is not shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outputs.html import html_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["SCRIPT", "filter_html"]


def filter_html(choices: Mapping[str, Sequence[tuple[str, str]]]) -> str:
    """Return the form of the filter.

    Args:
        choices: By the title of their group, the key that steps or runs have in ``data-keys``, and
            words for it.
    """
    groups = "".join(
        f'<optgroup label="{html_line(title)}">'
        + "".join(f'<option value="{key}">{html_line(words)}</option>' for key, words in group)
        + "</optgroup>"
        for title, group in choices.items()
    )
    return (
        '<div class="ap-filter" role="search" hidden>'
        f'<label>Show <select><option value="">all steps</option>{groups}</select></label>'
        '<label>with the words <input type="search"></label>'
        '<button type="button">Clear</button><output aria-live="polite"></output></div>'
    )


SCRIPT: Final = """
(() => {
  const form = document.querySelector(".ap-filter");
  const [choice, words, clear, told] = ["select", "input", "button", "output"]
    .map((name) => form.querySelector(name));
  const keysOf = (element) => (element.dataset.keys || "").split(" ");
  const runs = [...document.querySelectorAll(".ap-run")].map((run) => ({
    run, keys: keysOf(run), wasOpen: run.open,
    steps: [...run.querySelectorAll(".ap-steps>li")].map((step) => ({ step, keys: keysOf(step) })),
  }));
  const textOf = (each) => each.text ??= each.step.textContent.toLowerCase();
  let wasActive = false;
  const apply = () => {
    const key = choice.value, sought = words.value.trim().toLowerCase();
    const active = Boolean(key || sought);
    let found = 0, all = 0, open = 0;
    for (const each of runs) {
      const { run, keys, steps } = each;
      const isWhole = !key || keys.includes(key);
      let seen = 0;
      for (const it of steps) {
        const fits = (isWhole || it.keys.includes(key)) && (!sought || textOf(it).includes(sought));
        if (it.step.hidden === fits) it.step.hidden = !fits;
        seen += fits;
      }
      all += steps.length;
      found += seen;
      run.hidden = active && !seen && !(isWhole && !sought);
      if (!wasActive && active) each.wasOpen = run.open;
      if (active) run.open = seen > 0 && (open += seen) <= 500;
      else if (wasActive) run.open = each.wasOpen;
    }
    wasActive = active;
    told.textContent = active ? `${found} of ${all} steps` : "";
  };
  const reset = () => { choice.value = words.value = ""; apply(); };
  let timer;
  choice.addEventListener("change", apply);
  words.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(apply, 150); });
  clear.addEventListener("click", () => { reset(); choice.focus(); });
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    const target = link && document.getElementById(link.hash.slice(1));
    if (target && target.closest("[hidden]")) reset();
  });
  form.hidden = false;
})();
"""
"""Filters the steps by key and by words. It makes no element and sets no HTML."""

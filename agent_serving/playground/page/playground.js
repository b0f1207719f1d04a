// The playground: sends what is typed to Python, and shows what comes back.
// Offsets are counted in code points, as Python counts them.

const $ = (id) => document.getElementById(id);
const FIELDS = ["dialect", "mode", "ended", "start", "text", "tools"];
let cuts = [];
let view = "reading";
let dialects = new Map();

// -- Python, in a server or in this page ---------------------------------------------------------

async function inServer(request) {
  const reply = await fetch("answer", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: request,
  });
  if (!reply.ok) throw new Error(`the server answered ${reply.status}: ${await reply.text()}`);
  return reply.text();
}

function inPage() {
  const worker = new Worker("worker.js", { type: "module" });
  const waiting = new Map();
  let number = 0;
  worker.onmessage = ({ data }) => {
    const { resolve, reject } = waiting.get(data.number);
    waiting.delete(data.number);
    if (data.error === undefined) resolve(data.answer);
    else reject(new Error(data.error));
  };
  worker.onerror = (event) => {
    for (const { reject } of waiting.values()) reject(new Error(event.message || "Python cannot be loaded"));
    waiting.clear();
  };
  return (request) =>
    new Promise((resolve, reject) => {
      waiting.set(++number, { resolve, reject });
      worker.postMessage({ number, request });
    });
}

const send = document.querySelector("meta[name=python]").content === "server" ? inServer : inPage();
const ask = async (request) => JSON.parse(await send(JSON.stringify(request)));

// -- the state, which the address holds -----------------------------------------------------------

function state() {
  const fields = Object.fromEntries(FIELDS.map((name) => [name, $(name).value]));
  return { ...fields, cuts, view };
}

function toHash(value) {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromHash(hash) {
  try {
    const binary = atob(hash.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
    const value = JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (c) => c.charCodeAt(0))));
    return value !== null && typeof value === "object" ? value : {};
  } catch {
    return {};
  }
}

function restore(given) {
  for (const name of FIELDS) {
    if (typeof given[name] === "string") $(name).value = given[name];
  }
  if ($("dialect").selectedIndex < 0) $("dialect").value = "react";
  for (const name of ["mode", "ended", "start"]) {
    if ($(name).selectedIndex < 0) $(name).selectedIndex = 0;
  }
  cuts = Array.isArray(given.cuts) ? given.cuts.filter(Number.isInteger) : [];
  const known = [...$("tabs").children].map((tab) => tab.dataset.view);
  view = known.includes(given.view) ? given.view : "reading";
}

// -- what is shown ----------------------------------------------------------------------------------

function element(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** Return an element with text of a model, whose line breaks can be seen. */
const code = (text) => element("code", text.replaceAll("\n", "⏎\n"));

function chunkRow(chunk, isLast) {
  const row = element("tr");
  const text = element("td", "", { "data-title": "chunk" });
  text.append(isLast ? element("em", "the end") : code(chunk.text));
  const events = element("td", "", { "data-title": chunk.events.length || chunk.error ? "events" : "" });
  const list = element("ul");
  for (const event of chunk.events) {
    const item = element("li");
    item.append(element("b", event.name), code(event.said));
    list.append(item);
  }
  events.append(list);
  if (chunk.error) events.append(element("p", chunk.error, { class: "problem" }));
  const held = element("td", "", { "data-title": chunk.held ? "held back" : "" });
  if (chunk.held) {
    held.append(code(chunk.held), element("span", chunk.reason, { class: "reason" }));
  }
  row.append(text, events, held);
  return row;
}

function show(answer) {
  const output = $("output");
  if (answer.problem !== undefined) {
    output.replaceChildren(element("p", answer.problem, { class: "problem" }));
  } else if (answer.html !== undefined) {
    output.innerHTML = answer.html; // made and escaped by the library, which is tested for it
  } else if (answer.chunks !== undefined) {
    const table = element("table");
    const head = element("thead");
    const titles = element("tr");
    for (const title of ["Chunk", "Events that it completes", "Held back, and why"]) {
      titles.append(element("th", title, { scope: "col" }));
    }
    head.append(titles);
    const body = element("tbody");
    answer.chunks.forEach((chunk, at) => body.append(chunkRow(chunk, at === answer.chunks.length - 1)));
    table.append(head, body);
    output.replaceChildren(table);
  } else {
    const parts = [element("pre", answer.text)];
    if (answer.stop) {
      const words = answer.stop.map((stop) => JSON.stringify(stop)).join(", ");
      parts.unshift(element("p", `Stop sequences: ${words || "none"}`, { class: "note" }));
    }
    output.replaceChildren(...parts);
  }
}

/** Return what is said of the reading above the page: as what it was read, and how fast. */
function told({ dialect, parsed_us: micros }) {
  if (dialect === undefined) return "";
  const exact = micros < 1000 ? `${micros.toFixed(0)} µs` : `${(micros / 1000).toFixed(1)} ms`;
  const time = micros < 1 ? "< 0.1 ms" : exact; // the clocks of browsers are coarse
  return `Parsed as ${dialect} in ${time}.`;
}

let running = false;
let changed = false;

let keeping;

/** Put the state into the address: seldom, for browsers refuse to change it often. */
function keepState() {
  clearTimeout(keeping);
  keeping = setTimeout(() => history.replaceState(null, "", `#${toHash(state())}`), 300);
}

async function update() {
  keepState();
  changed = true;
  if (running) return; // only the newest state is asked for
  running = true;
  $("output").setAttribute("aria-busy", "true");
  while (changed) {
    changed = false;
    try {
      const answer = await ask(state());
      show(answer);
      $("state").textContent = told(answer);
    } catch (error) {
      $("state").textContent = `It failed: ${error.message}`;
    }
  }
  $("output").setAttribute("aria-busy", "false");
  running = false;
}

function refresh() {
  const chosen = dialects.get($("dialect").value);
  $("summary").textContent = chosen ? chosen.summary : "";
  for (const tab of $("tabs").children) {
    tab.setAttribute("aria-selected", String(tab.dataset.view === view));
    tab.tabIndex = tab.dataset.view === view ? 0 : -1;
    if (tab.dataset.view === view) $("output").setAttribute("aria-label", tab.textContent);
  }
  $("cutting").hidden = view !== "events";
  drawRuler();
  update();
}

// -- the cuts ---------------------------------------------------------------------------------------

const lettersOf = () => Array.from($("text").value);

function keepCuts(end) {
  cuts = [...new Set(cuts)].filter((cut) => cut > 0 && cut < end).sort((a, b) => a - b).slice(0, 200);
}

function place(handle, cut, letters) {
  const end = letters.length;
  const around = `${letters.slice(Math.max(0, cut - 8), cut).join("")}|${letters.slice(cut, cut + 8).join("")}`;
  handle.style.left = `${(100 * cut) / end}%`;
  handle.setAttribute("aria-valuenow", String(cut));
  handle.setAttribute("aria-valuetext", `after ${cut} characters: ${around}`);
  handle.title = around;
}

function drawRuler(focused = -1) {
  const letters = lettersOf();
  const end = letters.length;
  keepCuts(end);
  const handles = cuts.map((cut, at) => {
    const handle = element("button", "", {
      type: "button", role: "slider", "aria-label": `Cut ${at + 1}`, "aria-valuemin": "1",
      "aria-valuemax": String(end - 1),
    });
    place(handle, cut, letters);
    handle.addEventListener("pointerdown", (event) => drag(event, handle, at, letters));
    handle.addEventListener("keydown", (event) => moveByKey(event, at));
    return handle;
  });
  $("ruler").replaceChildren(...handles);
  if (focused >= 0) (handles[Math.min(focused, handles.length - 1)] ?? $("cut")).focus();
}

function drag(event, handle, at, letters) {
  const end = letters.length;
  handle.setPointerCapture(event.pointerId);
  handle.onpointermove = ({ clientX }) => {
    const { left, width } = $("ruler").getBoundingClientRect();
    const cut = Math.round((end * (clientX - left)) / width);
    cuts[at] = Math.min(Math.max(cut, 1), end - 1);
    place(handle, cuts[at], letters);
    update();
  };
  handle.onpointerup = handle.onpointercancel = () => {
    handle.onpointermove = null;
    const cut = cuts[at];
    keepCuts(end);
    drawRuler(cuts.indexOf(cut));
  };
}

const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 10, PageDown: -10 };

function moveByKey(event, at) {
  // A cut stays between its neighbours: where two meet, one of them would be lost.
  const [first, last] = [(cuts[at - 1] ?? 0) + 1, (cuts[at + 1] ?? lettersOf().length) - 1];
  if (event.key in STEPS) cuts[at] = Math.min(Math.max(cuts[at] + STEPS[event.key], first), last);
  else if (event.key === "Home") cuts[at] = first;
  else if (event.key === "End") cuts[at] = last;
  else if (event.key === "Delete" || event.key === "Backspace") cuts.splice(at, 1);
  else return;
  event.preventDefault();
  drawRuler(at);
  update();
}

// -- the controls -----------------------------------------------------------------------------------

function putExample() {
  const chosen = dialects.get($("dialect").value);
  if (chosen) $("text").value = chosen.text;
}

function listen(first) {
  let was = $("dialect").value;
  $("dialect").addEventListener("change", () => {
    const before = dialects.get(was);
    const untouched = [before?.text, first.text].includes($("text").value);
    if (!$("text").value || untouched) putExample();
    was = $("dialect").value;
    refresh();
  });
  for (const name of ["mode", "ended", "start"]) $(name).addEventListener("change", refresh);
  for (const name of ["text", "tools"]) $(name).addEventListener("input", refresh);
  $("given").addEventListener("submit", (event) => event.preventDefault());
  $("sample").addEventListener("click", () => { putExample(); refresh(); });
  $("cut").addEventListener("click", () => {
    cuts.push(Array.from($("text").value.slice(0, $("text").selectionStart)).length);
    refresh();
  });
  $("every").addEventListener("click", () => {
    const step = Math.max(1, Number($("size").value) || 1);
    cuts = [];
    const end = lettersOf().length;
    for (let at = step; at < end && cuts.length < 200; at += step) cuts.push(at);
    refresh();
  });
  $("whole").addEventListener("click", () => { cuts = []; refresh(); });
  $("share").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(new URL(`#${toHash(state())}`, location).href);
      $("state").textContent = "The link is copied; it holds the text, the tools and all settings.";
    } catch {
      $("state").textContent = "Copy the address of this page: it holds the text, the tools and all settings.";
    }
  });
  const tabs = [...$("tabs").children];
  tabs.forEach((tab, at) => {
    tab.addEventListener("click", () => { view = tab.dataset.view; refresh(); });
    tab.addEventListener("keydown", (event) => {
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const next = tabs.at(to % tabs.length);
      view = next.dataset.view;
      refresh();
      next.focus();
    });
  });
  $("output").addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link) return;
    event.preventDefault(); // the address holds the state
    const target = document.getElementById(link.hash.slice(1));
    target.scrollIntoView({ block: "nearest" });
    (target.querySelector("a") ?? target).focus();
  });
  window.addEventListener("hashchange", () => { restore(fromHash(location.hash)); refresh(); });
}

async function start() {
  let first;
  try {
    first = await ask({ list: true });
    dialects = new Map(first.dialects.map((dialect) => [dialect.name, dialect]));
  } catch (error) {
    $("state").textContent = `It failed: ${error.message}`;
    return;
  }
  $("dialect").append(element("option", "auto: find it", { value: "auto" }));
  for (const name of dialects.keys()) $("dialect").append(element("option", name, { value: name }));
  $("dialect").value = "react";
  const given = fromHash(location.hash);
  restore(given);
  if (given.text === undefined) {
    $("text").value = first.text;
    $("tools").value = first.tools;
  }
  listen(first);
  refresh();
}

start();

// Runs Python in the browser: Pyodide and the wheels lie beside this file.

import { loadPyodide } from "./pyodide/pyodide.mjs";

const ready = (async () => {
  const python = await loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href });
  const wheels = await (await fetch(new URL("./wheels.json", import.meta.url))).json();
  for (const wheel of wheels) {
    const file = await fetch(new URL(`./wheels/${wheel}`, import.meta.url));
    python.unpackArchive(await file.arrayBuffer(), "wheel");
  }
  return python.pyimport("agent_serving.playground.answers").answer;
})();

onmessage = async ({ data: { number, request } }) => {
  try {
    postMessage({ number, answer: (await ready)(request) });
  } catch (error) {
    postMessage({ number, error: String(error) });
  }
};

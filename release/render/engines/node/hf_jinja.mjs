// @huggingface/jinja as transformers.js uses it: the program of the engine hf-jinja (worker.py has the conversation).
//
// Templates run in a thread of their own. Its heap has a limit, which ends the thread and not the process, so that
// there is somebody left to tell; and this thread hears the end of the requests, so that a template that never ends
// does not outlive who asked. No error has a line. A text is UTF-16: two lone surrogates next to each other are one
// character.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

const KEPT = 64;
const OLDEST = 20;
const MEBIBYTE = 1024 * 1024;

if (isMainThread) {
  converse();
} else {
  await render(workerData);
}

/** Passes each line to the thread and its answer back. The first line is the greeting. */
function converse() {
  let thread = null;
  let limits = {};

  const answer = (line) => process.stdout.write(line + "\n");
  const tell = (object) => answer(JSON.stringify(object));

  function greet(greeting) {
    limits = greeting.limits;
    const [major] = process.versions.node.split(".");
    if (Number(major) < OLDEST) {
      tell({ unavailable: `node ${process.versions.node} is too old, it takes ${OLDEST}` });
      return;
    }
    const heap = limits.memory === null ? {} : { maxOldGenerationSizeMb: Math.ceil(limits.memory / MEBIBYTE) };
    thread = new Worker(new URL(import.meta.url), { workerData: greeting, resourceLimits: heap });
    thread.on("message", answer);
    thread.on("error", (error) => {
      if (error.code === "ERR_WORKER_OUT_OF_MEMORY") {
        tell({ fault: "memory", message: `it needed more than ${limits.memory} bytes` });
      } else {
        // Nobody's template: the parent reports how the process ended, with this as its last words.
        process.stderr.write(`${error.message}\n`);
        process.exitCode = 1;
        process.stdin.destroy();
      }
    });
  }

  let chunks = [];
  process.stdin.on("data", (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...chunks, chunk.subarray(from, end)]).toString("utf8");
      chunks = [];
      from = end + 1;
      if (thread === null) {
        greet(JSON.parse(line));
      } else {
        thread.postMessage(line);
      }
    }
    chunks.push(chunk.subarray(from));
  });
  process.stdin.on("end", () => process.exit());
}

/** The thread: answers every request with one line. */
async function render({ package: folder, now, limits }) {
  holdTheClock(new Date(now).getTime());
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { Environment, Template } = await import(pathToFileURL(join(folder, "dist", "index.js")).href);

  class Raised extends Error {}

  // The package throws a plain Error for raise_exception and lets no variable replace the function.
  const set = Environment.prototype.set;
  Environment.prototype.set = function (name, value) {
    const raise = (message) => {
      throw new Raised(String(message ?? ""));
    };
    return set.call(this, name, name === "raise_exception" && typeof value === "function" ? raise : value);
  };

  const templates = new Map();

  function compile({ compile: source, key }) {
    if (!templates.has(key)) {
      try {
        templates.set(key, new Template(source));
      } catch (error) {
        return failed("syntax", error);
      }
    }
    if (templates.size > KEPT) {
      templates.delete(templates.keys().next().value);
    }
    return { ok: true };
  }

  function rendered({ render: key, variables }) {
    const template = templates.get(key);
    if (template === undefined) {
      return { unknown: key };
    }
    // The one used last is the last to go.
    templates.delete(key);
    templates.set(key, template);
    let text;
    try {
      text = template.render({ tools: null, documents: null, add_generation_prompt: false, ...variables });
    } catch (error) {
      return failed(error instanceof Raised ? "raised" : "runtime", error);
    }
    if (text.length > limits.characters) {
      const message = `the prompt has ${text.length} characters, more than ${limits.characters}`;
      return { fault: "memory", message };
    }
    return { text };
  }

  function answered(line) {
    let request;
    try {
      request = JSON.parse(line);
    } catch (error) {
      // Such as NaN, which Python writes and JSON does not have.
      return { fault: "unasked", message: error.message };
    }
    return "compile" in request ? compile(request) : rendered(request);
  }

  parentPort.on("message", (line) => parentPort.postMessage(JSON.stringify(answered(line))));
  parentPort.postMessage(JSON.stringify({ version: `${version} (node ${process.versions.node})` }));
}

/** Makes `new Date()` the moment that templates are told, by strftime_now. */
function holdTheClock(moment) {
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...given) {
      super(...(given.length === 0 ? [moment] : given));
    }
  };
}

/** A text or an array that can grow no further is a limit of the engine's, not an error in the template. */
function failed(fault, error) {
  const message = error instanceof Error ? error.message : String(error);
  const tooLarge = error instanceof RangeError && /^Invalid (string|array) length$/.test(message);
  return { fault: tooLarge ? "memory" : fault, message };
}

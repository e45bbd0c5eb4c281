/** VS Code itself does the whole walk: ask, progress, preview, apply, look, undo, cancel. It waits for what must come. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { access } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT, VsCode } from "./editor.mjs";

const SERVER = join(ROOT, ".venv/bin/afterburner-agent");
const PAIRS = readFileSync(join(ROOT, "tests/lsp_server/pairs.py.txt"), "utf8");
const FILES = { "pairs.py": PAIRS, "pyproject.toml": "[project]\nname = 'shop'\n" };
const LOOP_LINE = 11;
const OPTIMIZE = "Optimize this function (pairs)";

/** Run a test with a VS Code, which does not outlive it; where it fails, a picture shows what there was to see. */
function walk(name, files, options, body) {
  test(name, async () => {
    const code = await VsCode.open(files, options);
    try {
      await body(code);
    } catch (error) {
      const picture = join(ROOT, "build/vscode-failure.png");
      await code.page.screenshot({ path: picture }).catch(() => {});
      throw new Error(`${name}; see ${picture}`, { cause: error });
    } finally {
      await code.close();
    }
  });
}

const trusted = { machine: { "afterburner.server.path": SERVER }, settings: { "afterburner.iterations": 2 } };

walk("a trusted workspace: from the light bulb to the report, and back", FILES, trusted, async (code) => {
  const { page } = code;
  await code.openAt("pairs.py", LOOP_LINE);
  await code.idle().waitFor();

  await page.keyboard.press("End");
  await code.clickLightBulb();
  await code.choose(OPTIMIZE, () => code.picture("actions", { x: 250, y: 140, width: 600, height: 290 }));
  const progress = code.notification("Optimizing pairs");
  await progress.getByText("iteration 1").waitFor();
  await code.status("Optimizing pairs").waitFor();
  await code.picture("progress", { x: 0, y: 520, width: 1000, height: 140 });

  // Nothing is ticked at first: VS Code applies nothing, and the user hears what to do.
  const preview = page.locator("#refactorPreview");
  await preview.getByRole("button", { name: "Apply" }).click();
  await code.notification("tick all of its changes there").getByRole("button", { name: "OK" }).waitFor(); // so it is not cut
  assert.equal(await code.text(), PAIRS);
  await code.clearNotifications();

  await page.locator(".view-line", { hasText: "found = []" }).click();
  await code.command("Afterburner: Show Report"); // of what is kept, applied or not
  const report = page.frameLocator("iframe.webview.ready").frameLocator("iframe");
  await report.getByRole("heading", { name: "pairs" }).waitFor();
  assert.equal(await code.notification("The report is").count(), 0);
  await page.keyboard.press("Control+w");

  await page.keyboard.press("Control+.");
  await code.choose("Apply the proven rewrite of pairs");
  await preview.locator("input").first().check();
  await code.picture("preview", { x: 250, y: 0, width: 750, height: 640 });
  await preview.getByRole("button", { name: "Apply" }).click();
  await code.notification("Applied. Undo restores the original.").waitFor();
  const text = await code.text();
  assert.match(text, /_set = set\(/);
  assert.ok(text.startsWith(PAIRS.slice(0, PAIRS.indexOf("    found"))), text);
  await code.clearNotifications();

  const gain = page.locator(".codelens-decoration", { hasText: "faster" });
  assert.match(await gain.innerText(), /^[\d.]+x faster( \([\d.]+x to [\d.]+x\))?, proven(; [\d.]+x slower on small inputs)?\s*\|\s*report\s*\|\s*revert$/);
  await code.picture("lens", { x: 250, y: 160, width: 750, height: 300 });
  await page.locator(".view-line", { hasText: "def pairs" }).getByText("pairs", { exact: true }).hover();
  await page.locator(".monaco-hover", { hasText: "captured from __main__" }).waitFor();
  await gain.getByText("report").click();
  await report.getByRole("heading", { name: "The change" }).waitFor();
  await code.picture("report", { x: 250, y: 0, width: 750, height: 480 });
  await page.keyboard.press("Control+w");

  await page.locator(".view-line", { hasText: "found = []" }).click();
  await page.keyboard.press("Control+z");
  await gain.waitFor({ state: "detached" });
  assert.equal(await code.text(), PAIRS);

  await page.keyboard.press("Control+Home"); // in no function
  await code.command("Afterburner: Show Report");
  await report.getByRole("heading", { name: "pairs" }).waitFor();
  await page.keyboard.press("Control+w");
  await page.locator(".view-line", { hasText: "found = []" }).click();

  await code.command("Afterburner: Optimize This Function for Memory");
  await progress.getByText(/judging|timing/).waitFor();
  await progress.hover();
  await progress.getByRole("button", { name: "Cancel" }).click();
  await progress.waitFor({ state: "detached" });
  await code.idle().waitFor();

  await code.command("Afterburner: Optimize This Function for Memory Over Time");
  await progress.getByText(/judging|timing/).waitFor();
  await code.command("Afterburner: Cancel a Run");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "Cancel: Optimizing pairs" }).click();
  await progress.waitFor({ state: "detached" });
  await code.idle().waitFor();
  await code.command("Afterburner: Cancel a Run");
  await code.notification("no run is active or queued").waitFor();
  assert.equal(await code.text(), PAIRS);
});

const misspelt = { ...trusted, settings: { "afterburner.modle": "rules" } };

walk("a setting that does not exist: a message says so, and which one may be meant", FILES, misspelt, async (code) => {
  await code.openAt("pairs.py", LOOP_LINE);
  await code.idle().waitFor();
  await code.command("Afterburner: Optimize This Function");
  await code.notification("modle: there is no such setting. Did you mean model?").waitFor();
});

const STOCK = "class Stock:\n    @property\n    def size(self):\n        return 1\n";

walk("a property: the palette says why it cannot be optimized", { ...FILES, "stock.py": STOCK }, trusted, async (code) => {
  await code.openAt("stock.py", 4);
  await code.idle().waitFor();
  for (const command of ["Optimize This Function", "Optimize This Function for Memory", "Prove My Change Faster"]) {
    await code.command(`Afterburner: ${command}`);
    await code.notification("Stock.size is a property, which cannot be optimized by itself").waitFor();
    await code.clearNotifications();
    await code.page.locator(".view-line", { hasText: "return 1" }).click();
  }
});

/** A package whose program is the server of this checkout, so that pip need not fetch what the server needs. */
const PACKAGE = {
  "package/afterburner_agent-0.data/scripts/afterburner-agent": `#!/bin/sh\nexec ${SERVER} "$@"\n`,
  "package/afterburner_agent-0.dist-info/METADATA": "Metadata-Version: 2.1\nName: afterburner-agent\nVersion: 0\n",
  "package/afterburner_agent-0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
  "package/afterburner_agent-0.dist-info/RECORD": "",
};
const WHEEL = "afterburner_agent-0-py3-none-any.whl"; // in the workspace, which only this test writes to

walk("a server that is not there: the extension offers to install it", { ...FILES, ...PACKAGE }, {}, async (code) => {
  const { page } = code;
  const packagePath = join(code.folder, WHEEL);
  const install = async () => {
    await page.locator(".quick-input-title", { hasText: `Install ${packagePath}` }).waitFor();
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "A private environment" }).click();
  };
  await code.setMachine({ "afterburner.server.package": packagePath });
  await code.openAt("pairs.py", LOOP_LINE);
  const offer = code.notification("neither in the project's environment nor on the PATH");
  await offer.waitFor();
  await code.picture("install", { x: 500, y: 500, width: 500, height: 160 });
  await offer.getByRole("button", { name: "Install…" }).click();
  await install();
  await code.notification("the server could not be installed").waitFor(); // there is no such file yet

  // Each way leads to the offer again.
  await code.clearNotifications();
  await page.locator(".view-line", { hasText: "found = []" }).click();
  await code.command("Afterburner: Optimize This Function");
  await offer.waitFor();

  execFileSync("python3", ["-m", "zipfile", "-c", packagePath, "afterburner_agent-0.data", "afterburner_agent-0.dist-info"], {
    cwd: join(code.folder, "package"),
  });
  await code.command("Afterburner: Install Server");
  await install();
  await code.idle().waitFor();
});

for (const program of ["/bin/true", "/usr/bin/python3"]) {
  const wrong = { machine: { "afterburner.server.path": program } };

  walk(`${program} is not the server: the extension says so, and nothing else`, FILES, wrong, async (code) => {
    await code.openAt("pairs.py", LOOP_LINE);
    const told = code.notification(`${program} is not afterburner-agent, or does not start`);
    await told.getByRole("button", { name: "Choose Program…" }).waitFor();
    await code.command("Afterburner: Show Log");
    // A long log scrolls, and the line may stand at its top alone.
    await code.page.locator(".view-line, .sticky-line-content", { hasText: "couldn't create connection" }).first().waitFor();
    await code.page.locator(".view-line", { hasText: `${program} lsp --stdio ended with exit code` }).first().waitFor();
    assert.equal(await code.notification("connection").count(), 0);
    assert.equal(await code.notification("rejected").count(), 0);
  });
}

const mended = join(mkdtempSync(join(tmpdir(), "afterburner-program-")), "afterburner-agent");

walk("a server whose start failed is started again once the cause is mended", FILES, { machine: { "afterburner.server.path": mended } }, async (code) => {
  await code.openAt("pairs.py", LOOP_LINE); // the extension starts with the first Python file
  const missing = code.notification("there is no such executable file");
  await missing.waitFor();
  await code.clearNotifications();
  writeFileSync(mended, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  await code.command("Afterburner: Restart Server");
  const failed = code.notification("is not afterburner-agent, or does not start");
  const tryAgain = failed.getByRole("button", { name: "Try Again" });
  await tryAgain.waitFor();
  writeFileSync(mended, `#!/bin/sh\nexec ${SERVER} "$@"\n`);
  await tryAgain.click();
  await code.idle().waitFor();
});

const slowToEnd = join(mkdtempSync(join(tmpdir(), "afterburner-program-")), "afterburner-agent");
writeFileSync(slowToEnd, `#!/bin/sh\n${SERVER} "$@"\nexec sleep 600\n`, { mode: 0o755 });

walk("a server that is restarted: the log says that the former one was stopped on purpose", FILES, { machine: { "afterburner.server.path": slowToEnd } }, async (code) => {
  await code.openAt("pairs.py", LOOP_LINE);
  await code.idle().waitFor();
  await code.command("Afterburner: Restart Server");
  await code.idle().waitFor();
  await code.command("Afterburner: Show Log");
  const log = code.page.locator(".view-line, .sticky-line-content");
  await log.filter({ hasText: "the server was stopped on purpose; it ended" }).first().waitFor();
  assert.equal(await log.filter({ hasText: "Server process exited" }).count(), 0);
});

const OTHER = `${PAIRS}\n\ndef other(x):\n    return x\n\n\nother(1)\n`;
const otherLine = OTHER.split("\n").indexOf("def other(x):") + 2;

walk("a run that has to wait has no notification until its turn comes", { ...FILES, "pairs.py": OTHER }, trusted, async (code) => {
  const { page } = code;
  await code.openAt("pairs.py", LOOP_LINE);
  await code.idle().waitFor();
  await code.command("Afterburner: Optimize This Function");
  const first = code.notification("Optimizing pairs");
  await first.waitFor();
  await code.openAt("pairs.py", otherLine);
  await code.command("Afterburner: Optimize This Function");
  await first.getByText("(1 waiting)").waitFor();
  assert.equal(await code.notification("Optimizing other").count(), 0);
  await first.hover();
  await first.getByRole("button", { name: "Cancel" }).click();
  await code.notification("Optimizing other").waitFor();
});

const nowhere = { machine: { "afterburner.server.path": "/nowhere/afterburner-agent" }, trusts: false };

walk("a program that is missing: nothing is said of environments that do not count", FILES, nowhere, async (code) => {
  await code.openAt("pairs.py", LOOP_LINE);
  await code.notification("there is no such executable file").waitFor();
  assert.equal(await code.notification("does not count").count(), 0);
});

const STARTED = "started.txt";
const thatTells = (program) => `#!/bin/sh\ntouch "$(dirname "$0")/../../${STARTED}"\nexec ${program} "$@"\n`;
const hostile = {
  ...FILES,
  ".venv/bin/afterburner-agent": thatTells(SERVER),
  ".venv/bin/python": thatTells("python3"),
  ".vscode/settings.json": JSON.stringify({ "afterburner.server.path": "/nowhere/else", "afterburner.model": "a/b" }),
};

walk("a workspace that is not trusted: no program of it is started", hostile, { trusts: false }, async (code) => {
  const { page } = code;
  const wasStarted = () => access(join(code.folder, STARTED)).then(() => true, () => false);
  await code.openAt("pairs.py", LOOP_LINE);
  await code.notification("in a workspace that is not trusted does not count").waitFor();
  assert.equal(await wasStarted(), false);

  await code.clearNotifications();
  await code.command("Workspaces: Manage Workspace Trust");
  await page.getByRole("button", { name: "Trust", exact: true }).click();
  await code.idle().waitFor();
  assert.equal(await wasStarted(), true);
});

const doubtful = { ...trusted, trusts: false };

walk("a workspace that is not trusted: the user is asked before code of it runs", FILES, doubtful, async (code) => {
  await code.openAt("pairs.py", LOOP_LINE);
  await code.idle().waitFor();
  await code.page.keyboard.press("End");
  await code.clickLightBulb();
  await code.choose(OPTIMIZE);
  const question = code.notification("May code of");
  await code.notification("Optimizing pairs").getByText("(the bell, bottom right)").waitFor();
  await question.getByRole("button", { name: "Do not run it" }).click();
  await code.notification("you did not allow code of the project to run").waitFor();
});

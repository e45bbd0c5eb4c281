/** VS Code itself: code-server with the packaged extension, and a browser that a test drives. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const HERE = dirname(fileURLToPath(import.meta.url));
export const ROOT = resolve(HERE, "../../..");
const CODE_SERVER = join(HERE, "node_modules/code-server/out/node/entry.js");
const EXTENSION = join(ROOT, "dist/afterburner.vsix");
const BROWSER = process.env.CHROMIUM ?? "/usr/bin/chromium";
const BROWSER_OPTIONS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const QUIET = {
  "breadcrumbs.enabled": false,
  "chat.commandCenter.enabled": false,
  "editor.minimap.enabled": false,
  "editor.occurrencesHighlight": "off",
  "extensions.ignoreRecommendations": true,
  "git.enabled": false,
  "security.workspace.trust.untrustedFiles": "open",
  "telemetry.telemetryLevel": "off",
  "window.commandCenter": false,
  "workbench.activityBar.location": "hidden",
  "workbench.colorTheme": "Default Light Modern",
  "workbench.layoutControl.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};
export const WAIT_MS = 120_000; // for what must come; nothing is measured by it

/** One VS Code with a workspace; `close` ends it and deletes all that it has written. */
export class VsCode {
  /**
   * @param {Record<string, string>} files of the workspace, by name
   * @param {{ settings?: object, machine?: object, trusts?: boolean }} options the user's settings, those of the machine
   *     that the files are on, and whether the user trusts the workspace when VS Code asks
   */
  static async open(files, { settings = {}, machine = {}, trusts = true } = {}) {
    const code = new VsCode();
    try {
      await code.start(files, settings, machine);
      await code.answerTrust(trusts);
    } catch (error) {
      await code.close();
      throw error;
    }
    return code;
  }

  async start(files, settings, machine) {
    this.home = await mkdtemp(join(tmpdir(), "afterburner-vscode-"));
    this.folder = join(this.home, "shop");
    await write(join(this.home, "data/User/settings.json"), JSON.stringify({ ...QUIET, ...settings }));
    await this.setMachine(machine);
    for (const [name, text] of Object.entries(files)) {
      await write(join(this.folder, name), text);
    }
    const common = ["--user-data-dir", join(this.home, "data"), "--extensions-dir", join(this.home, "extensions")];
    await write(join(this.home, ".profile"), "PATH=/usr/bin:/bin\n"); // VS Code asks a login shell for the PATH
    const env = { ...process.env, SHELL: "/bin/sh", HOME: this.home, XDG_CONFIG_HOME: this.home, XDG_DATA_HOME: this.home };
    await ended(spawn(process.execPath, [CODE_SERVER, ...common, "--install-extension", EXTENSION], { env }));
    const listening = ["--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check"];
    this.server = spawn(process.execPath, [CODE_SERVER, ...common, ...listening], { env, detached: true });
    const address = await printed(this.server, /HTTP server listening on (\S+)/);
    this.browser = await chromium.launchPersistentContext(join(this.home, "browser"), {
      executablePath: BROWSER,
      args: BROWSER_OPTIONS,
      headless: true,
      viewport: { width: 1000, height: 660 },
    });
    this.page = this.browser.pages()[0] ?? (await this.browser.newPage());
    this.page.setDefaultTimeout(WAIT_MS);
    await this.page.goto(`${address}?folder=${this.folder}`);
    await this.page.locator(".monaco-workbench").waitFor();
  }

  /** Write the settings of the machine that the files are on. */
  async setMachine(settings) {
    await write(join(this.home, "data/Machine/settings.json"), JSON.stringify(settings));
  }

  async answerTrust(trusts) {
    await this.page.getByRole("button", { name: trusts ? "Yes, I trust" : "No, I don't trust" }).click();
    await this.page.locator(".monaco-dialog-box").waitFor({ state: "detached" });
  }

  async close() {
    await this.browser?.close();
    if (this.server?.exitCode === null) {
      process.kill(-this.server.pid, "SIGTERM");
      await once(this.server, "exit");
    }
    if (this.home) {
      await rm(this.home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    }
  }

  /** Open a file and put the cursor at the end of a line. */
  async openAt(name, line) {
    await this.page.locator(".explorer-viewlet").getByText(name, { exact: true }).dblclick();
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
    await this.page.keyboard.press("Control+g");
    await this.page.locator(".quick-input-widget input").fill(`:${line}`);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: `Go to line ${line}` }).waitFor();
    await this.page.keyboard.press("Enter");
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  }

  /** Run a command by its name in the palette. */
  async command(name) {
    await this.page.keyboard.press("F1");
    await this.page.locator(".quick-input-widget input").fill(`>${name}`);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().click();
  }

  /** The text of the editor; what lies outside of the window is missing. */
  async text() {
    const lines = await this.page.locator(".editor-instance .view-line").evaluateAll((found) =>
      found
        .map((line) => [Number.parseFloat(line.style.top), line.textContent.replaceAll("\u00a0", " ")])
        .sort(([one], [other]) => one - other)
        .map(([, text]) => text),
    );
    return lines.join("\n");
  }

  /** The status bar's item of the extension, with a text. */
  status(text) {
    return this.page.locator('[id="afterburner.afterburner.afterburner"]', { hasText: text });
  }

  /** The same item while a server runs and has nothing to do. */
  idle() {
    return this.status("Afterburner").locator(".codicon-flame");
  }

  /** A notification with a text. */
  notification(text) {
    return this.page.locator(".notification-toast", { hasText: text });
  }

  async clearNotifications() {
    await this.command("Notifications: Clear All Notifications");
    await this.page.locator(".notification-toast").first().waitFor({ state: "detached" });
  }

  async clickLightBulb() {
    await this.page.locator(".lightBulbWidget.codicon-light-bulb").click();
  }

  /** Choose an action from the menu of the light bulb. `look` sees the open menu. */
  async choose(title, look = async () => {}) {
    const action = this.page.locator(".action-widget .monaco-list-row", { hasText: title });
    await action.hover({ force: true }); // what lies above the menu goes away when the mouse moves
    await look();
    await action.click();
  }

  /** Keep a part of the window as a picture of the documentation, if pictures are wanted. */
  async picture(name, clip) {
    if (process.env.AFTERBURNER_TEST_PICTURES) {
      await this.page.screenshot({ path: join(ROOT, "docs/images", `vscode-${name}.png`), clip, animations: "disabled" });
    }
  }
}

async function write(path, text) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
}

async function ended(child) {
  let said = "";
  child.stdout.on("data", (data) => (said += data));
  child.stderr.on("data", (data) => (said += data));
  const [code] = await once(child, "exit");
  if (code !== 0) {
    throw new Error(`it ended with ${code}: ${said}`);
  }
}

/** The first group of what a program prints. */
function printed(child, pattern) {
  return new Promise((resolve, reject) => {
    let said = "";
    const look = (data) => {
      said += data;
      const found = pattern.exec(said);
      if (found) {
        resolve(found[1]);
      }
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    child.on("exit", (code) => reject(new Error(`it ended with ${code}: ${said}`)));
  });
}

// Written by `cfpm install opencode`; `cfpm install opencode --remove` takes it away. Calls the memory, and never stops a turn.
import { spawn } from "node:child_process"

const PROGRAM = "@PROGRAM@"
const OPTIONS = "@OPTIONS@"

// One event of the host: an object in, an object out, empty when anything fails.
const ask = (name, event, milliseconds) =>
  new Promise((resolve) => {
    try {
      const child = spawn(PROGRAM[0], [...PROGRAM.slice(1), "hook", "opencode", name, ...OPTIONS], {
        stdio: ["pipe", "pipe", "ignore"],
        cwd: event.cwd,
      })
      const timer = setTimeout(() => child.kill(), milliseconds)
      let out = ""
      child.stdout.on("data", (part) => (out += part))
      child.on("error", () => resolve({}))
      child.on("close", () => {
        clearTimeout(timer)
        try {
          resolve(JSON.parse(out || "{}"))
        } catch {
          resolve({})
        }
      })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(event))
    } catch {
      resolve({})
    }
  })

export const CfpmMemory = async ({ directory }) => {
  const told = new Map() // by session: what its prompt is told, until the next prompt
  const texts = (parts) =>
    (parts || [])
      .filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
      .map((part) => part.text)
      .join("\n")
  return {
    "chat.message": async (input, output) => {
      const prompt = texts(output.parts)
      const event = { session_id: input.sessionID, cwd: directory, turn_id: output.message?.id, prompt }
      const { context } = await ask("chat.message", event, 10000)
      if (context) told.set(input.sessionID, [...(told.get(input.sessionID) || []), context])
    },
    "experimental.chat.system.transform": async (input, output) => {
      const blocks = input.sessionID ? told.get(input.sessionID) : [...told.values()].at(-1)
      if (blocks?.length) output.system.push(blocks.join("\n\n"))
    },
    "tool.execute.before": async (input, output) => {
      if (input.tool !== "bash" || typeof output.args?.command !== "string") return
      const event = { session_id: input.sessionID, cwd: directory, call_id: input.callID, tool_name: input.tool, tool_input: output.args }
      const { arguments: changed } = await ask("tool.execute.before", event, 2000)
      if (typeof changed?.command === "string") output.args.command = changed.command
    },
    "tool.execute.after": async (input, output) => {
      if (!["bash", "write", "edit", "patch", "todowrite", "question", "skill"].includes(input.tool)) return
      await ask("tool.execute.after", {
        session_id: input.sessionID,
        cwd: directory,
        call_id: input.callID,
        tool_name: input.tool,
        tool_input: input.args || {},
        output: output.metadata?.exit == null ? output.output : { output: output.output, exit_code: output.metadata.exit },
      }, 5000)
    },
    "experimental.session.compacting": async (input) => {
      await ask("session.compacting", { session_id: input.sessionID, cwd: directory }, 5000)
      told.delete(input.sessionID)
    },
    "experimental.text.complete": async (input, output) => {
      const event = { session_id: input.sessionID, cwd: directory, turn_id: input.messageID, answer: output.text }
      await ask("text.complete", event, 5000)
    },
  }
}

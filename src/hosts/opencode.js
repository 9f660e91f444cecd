// git seed for opencode, as `git seed init` and `git seed plugin` write it: events for the program.
import { spawn, spawnSync } from "node:child_process"
const SEED = "@SEED@"
// Hands over one event. Where the program is gone, or says nothing in time, nothing is refused.
const ask = (event, fields, patience = 10_000) =>
  new Promise((done) => {
    let said = ""
    const child = spawn(SEED, ["hook", "opencode", event], { stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => child.kill("SIGKILL"), patience)
    const end = () => {
      clearTimeout(timer)
      try { done(JSON.parse(said)) } catch { done({}) }
    }
    child.on("error", end).on("close", end)
    child.stdout.on("data", (data) => (said += data))
    child.stdin.on("error", () => {}).end(JSON.stringify({ hook_event_name: event, ...fields }))
  })
const words = (parts) => parts.filter((part) => part.type === "text" && !part.synthetic)
const text = (parts) => words(parts).map((part) => part.text).join("\n")
export const GitSeed = async ({ client, directory }) => {
  const met = new Map() // sessions by their ids: whose events they are
  const news = new Map() // sessions that are to hear where the work stands, and why
  const again = new Set() // sessions whose last prompt was a refused stop
  const meet = async (id) => {
    if (met.has(id)) return met.get(id)
    const parent = (await client.session.get({ path: { id } }))?.data?.parentID
    const past = (await client.session.messages({ path: { id } }))?.data?.length
    const who = parent ? { ...(await meet(parent)), agent_id: id } : { session_id: id }
    news.set(id, past && !parent ? "resume" : "startup")
    return met.set(id, { ...who, cwd: directory }).get(id)
  }
  // What the agent is told; the rest is shown to the person.
  const heard = ({ systemMessage: message, hookSpecificOutput: told }) => {
    if (message) client.tui.showToast({ body: { message, variant: "info" } }).catch(() => {})
    return told ?? {}
  }
  const hear = async (...event) => heard(await ask(...event)).additionalContext
  const opening = async (id, who, source = news.get(id)) =>
    news.delete(id) && hear(who.agent_id ? "subagent.start" : "session.start", { ...who, source })
  const call = (tool, args, callID) => ({ tool_name: tool, tool_input: args, call_id: callID })
  return {
    "chat.message": async ({ sessionID: id, agent }, { parts }) => {
      const who = Object.assign(await meet(id), agent && { agent_type: agent })
      const told = [await opening(id, who)]
      if (!who.agent_id) told.push(await hear("chat.message", { ...who, prompt: text(parts) }))
      const [own, said] = [words(parts)[0], told.filter(Boolean).join("\n\n")]
      if (said && own) parts.push({ ...own, id: own.id + "0", text: said, synthetic: true })
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const event = { ...(await meet(sessionID)), ...call(tool, args, callID) }
      const verdict = heard(await ask("tool.execute.before", event))
      if (verdict.permissionDecision === "deny") throw new Error(verdict.permissionDecisionReason)
    },
    "tool.execute.after": async ({ tool, sessionID: id, callID, args }, output) => {
      const who = await meet(id)
      const event = { ...who, ...call(tool, args, callID), tool_response: output }
      const after = await hear("tool.execute.after", event, 60_000) // an answer may commit
      const told = [after, await opening(id, who)]
      const said = told.filter(Boolean).join("\n\n")
      if (said && Array.isArray(output.content)) output.content.push({ type: "text", text: said })
      else if (said) output.output = `${output.output ?? ""}\n\n${said}`
    },
    // opencode ends, or loads its plugins anew: no event tells of it, and nobody waits for us.
    dispose: async () => {
      for (const who of [...met.values()].filter((who) => !who.agent_id)) {
        const input = JSON.stringify({ hook_event_name: "session.ended", ...who })
        spawnSync(SEED, ["hook", "opencode", "session.ended"], { input, timeout: 3_000 })
      }
      met.clear()
    },
    event: async ({ event: { type, properties } }) => {
      const [id, ends] = [properties?.sessionID ?? properties?.info?.id, type === "session.idle"]
      const who = met.get(id)
      if (!who || !(ends || ["session.compacted", "session.deleted"].includes(type))) return
      if (who.agent_id) return void (ends && (await ask("subagent.stop", who)))
      if (type === "session.compacted") news.set(id, "compact") // with its next prompt or tool
      const all = (ends && (await client.session.messages({ path: { id } })).data) || []
      const last = all.findLast((message) => message.info.role === "assistant")
      if (last?.info.error) return void again.delete(id) // the person stopped it, or a failure did
      const turn = ends && { again: again.delete(id), said: text(last?.parts ?? []) }
      const reply = await ask(type, { ...who, ...turn }, 75_000)
      if (heard(reply) && reply.decision !== "block") return
      again.add(id) // opencode keeps no turn from ending: the agent is asked to go on
      const parts = [{ type: "text", text: reply.reason }]
      client.session.prompt({ path: { id }, body: { parts } }).catch(() => {})
    },
  }
}

// git seed for opencode, as `git seed init --host opencode` writes it into a repository, and
// `git seed plugin` into a package. Each callback hands one event to the program below.
import { spawn } from "node:child_process"
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
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify({ hook_event_name: event, ...fields }))
  })
const words = (parts) => parts.filter((part) => part.type === "text" && !part.synthetic)
const text = (parts) => words(parts).map((part) => part.text).join("\n")

export const GitSeed = async ({ client, directory }) => {
  const met = new Map() // sessions by their ids: whose events they are
  const again = new Set() // sessions whose last prompt was a refused stop
  const meet = async (id) => {
    if (met.has(id)) return met.get(id)
    const parent = (await client.session.get({ path: { id } }))?.data?.parentID
    const who = parent ? { ...(await meet(parent)), agent_id: id } : { session_id: id }
    return met.set(id, { ...who, cwd: directory }).get(id)
  }
  // What the agent is told; the rest is shown to the person.
  const heard = (reply) => {
    const body = { message: reply.systemMessage, variant: "info" }
    if (body.message) client.tui.showToast({ body }).catch(() => {})
    return reply.hookSpecificOutput?.additionalContext
  }
  return {
    "chat.message": async ({ sessionID: id, agent }, { parts }) => {
      const [first, own] = [!met.has(id), words(parts)[0]]
      const who = Object.assign(await meet(id), agent && { agent_type: agent })
      const began = who.agent_id ? "subagent.start" : "session.start"
      const told = [first && heard(await ask(began, { ...who, source: "startup" }))]
      const prompt = text(parts)
      if (!who.agent_id) told.push(heard(await ask("chat.message", { ...who, prompt })))
      const said = told.filter(Boolean).join("\n\n")
      if (said && own) parts.push({ ...own, id: own.id + "0", text: said, synthetic: true })
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const call = { tool_name: tool, tool_input: args, call_id: callID }
      const reply = await ask("tool.execute.before", { ...(await meet(sessionID)), ...call })
      heard(reply)
      const verdict = reply.hookSpecificOutput ?? {}
      if (verdict.permissionDecision === "deny") throw new Error(verdict.permissionDecisionReason)
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      const call = { tool_name: tool, tool_input: args, call_id: callID, tool_response: output }
      const said = heard(await ask("tool.execute.after", { ...(await meet(sessionID)), ...call }))
      if (said && Array.isArray(output.content)) output.content.push({ type: "text", text: said })
      else if (said) output.output = `${output.output ?? ""}\n\n${said}`
    },
    event: async ({ event: { type, properties } }) => {
      const [id, ends] = [properties?.sessionID ?? properties?.info?.id, type === "session.idle"]
      const who = met.get(id)
      if (!who || !(ends || ["session.compacted", "session.deleted"].includes(type))) return
      if (who.agent_id) return void (ends && (await ask("subagent.stop", who)))
      const all = (ends && (await client.session.messages({ path: { id } })).data) || []
      const said = text(all.findLast((message) => message.info.role === "assistant")?.parts ?? [])
      const turn = ends && { again: again.delete(id), said }
      const reply = await ask(type, { ...who, ...turn }, 75_000)
      heard(reply)
      if (reply.decision !== "block") return
      again.add(id)
      // opencode keeps no turn from ending: the agent is asked to go on.
      const body = { parts: [{ type: "text", text: reply.reason }] }
      client.session.prompt({ path: { id }, body }).catch(() => {})
    },
  }
}

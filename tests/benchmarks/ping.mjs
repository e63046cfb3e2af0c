// Measures round trips over a child's stdin and stdout, one at a time, as the 1Code main process would see them.
// argv: rounds, state folder, then the command. Prints the times in microseconds as JSON.
import { spawn } from "node:child_process"

const [rounds, stateDir, command, ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] })

let arrived = () => {}
let rest = ""
child.stdout.on("data", (chunk) => {
  rest += chunk
  let end
  while ((end = rest.indexOf("\n")) >= 0) {
    const line = rest.slice(0, end)
    rest = rest.slice(end + 1)
    arrived(JSON.parse(line))
  }
})

function request(id, method, params) {
  return new Promise((resolve) => {
    arrived = resolve
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
  })
}

const clientInfo = { name: "benchmark", version: "1" }
await request(0, "initialize", { protocolVersion: 1, clientInfo, stateDir })
await request(1, "settings/get", {})
const times = []
for (let round = 0; round < Number(rounds); round++) {
  const sent = process.hrtime.bigint()
  await request(round + 2, "ping", {})
  times.push(Number(process.hrtime.bigint() - sent) / 1000)
}
console.log(JSON.stringify(times.slice(times.length / 10)))
child.stdin.end()

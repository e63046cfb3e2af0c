import assert from "node:assert/strict"
import { test } from "node:test"

import { Breaker, Restarts } from "../../rpc_schema/typescript/breaker"

const MINUTE = 60_000
const middle = () => 0.5

test("the breaker opens after three failures in a row and admits one request after five minutes", () => {
  const breaker = new Breaker()
  breaker.failed(0)
  breaker.failed(1)
  assert.equal(breaker.admits(2), true)
  breaker.failed(2)
  assert.equal(breaker.admits(3), false)
  assert.equal(breaker.admits(5 * MINUTE + 1), false)
  assert.equal(breaker.admits(5 * MINUTE + 2), true)
  assert.equal(breaker.admits(5 * MINUTE + 3), false, "only one tries")
  breaker.succeeded()
  assert.equal(breaker.admits(5 * MINUTE + 4), true)
})

test("a success between failures starts the count again", () => {
  const breaker = new Breaker()
  breaker.failed(0)
  breaker.failed(0)
  breaker.succeeded()
  breaker.failed(0)
  breaker.failed(0)
  assert.equal(breaker.admits(1), true)
})

test("a failed trial opens the breaker for another five minutes", () => {
  const breaker = new Breaker()
  for (const at of [0, 0, 0]) breaker.failed(at)
  assert.equal(breaker.admits(5 * MINUTE), true)
  breaker.failed(5 * MINUTE + 10)
  assert.equal(breaker.admits(10 * MINUTE), false)
  assert.equal(breaker.admits(10 * MINUTE + 10), true)
})

test("a trial that decides nothing lets the next request try", () => {
  const breaker = new Breaker()
  for (const at of [0, 0, 0]) breaker.failed(at)
  assert.equal(breaker.admits(5 * MINUTE), true)
  breaker.undecided(5 * MINUTE + 1)
  assert.equal(breaker.admits(5 * MINUTE + 1), true)
})

test("restarts wait twice as long each time, from half a second", () => {
  const restarts = new Restarts(middle)
  const delays = [0, 1, 2, 3, 4].map((at) => restarts.next(at, 10))
  assert.deepEqual(delays, [500, 1_000, 2_000, 4_000, 8_000])
})

test("the sixth restart within three minutes is refused, and allowed again after a reset", () => {
  const restarts = new Restarts(middle)
  for (const at of [0, 1, 2, 3, 4]) restarts.next(at, 10)
  assert.equal(restarts.next(3 * MINUTE - 1, 10), null)
  restarts.reset()
  assert.equal(restarts.next(3 * MINUTE - 1, 10), 500)
})

test("a process that keeps ending slowly is started again every thirty seconds at most", () => {
  const restarts = new Restarts(middle)
  const delays = Array.from({ length: 9 }, (_, index) => restarts.next(index * MINUTE, MINUTE))
  assert.deepEqual(delays, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
})

test("a process that lived long enough is started again at once", () => {
  const restarts = new Restarts(middle)
  for (const at of [0, 1, 2]) restarts.next(at, 10)
  assert.equal(restarts.next(10 * MINUTE, 9 * MINUTE), 500)
})

test("jitter keeps the wait within a fifth", () => {
  const shortest = new Restarts(() => 0).next(0, 0)
  const longest = new Restarts(() => 1).next(0, 0)
  assert.deepEqual([shortest, longest], [400, 600])
})

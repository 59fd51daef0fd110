// SPDX-License-Identifier: Apache-2.0
// What the tests take of node's own test runner.
declare module "node:test" {
  export function test(name: string, body: () => void | Promise<void>): void;
}
declare module "node:assert/strict" {
  interface Assert {
    (value: unknown, message?: string): void;
    equal(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    match(text: string, pattern: RegExp): void;
    throws(body: () => unknown, pattern: RegExp): void;
    doesNotMatch(text: string, pattern: RegExp): void;
  }
  const assert: Assert;
  export default assert;
}
declare module "node:crypto" {
  export function createHash(name: string): { update(bytes: Uint8Array): { digest(): Uint8Array } };
}

/** Values of an address's query that are secrets by their names, and those that are not. */

import { describe, expect, test } from "vitest";
import { HIDDEN, hideCredentials, Redactor, secretsIn } from "../src/redact.js";

const secret = [
  ...["key", "apikey", "api_key", "api-key", "x-api-key", "subscription-key", "AWSAccessKeyId"],
  ...["token", "access_token", "sas-token", "id_token"],
  ...["secret", "client_secret", "clientSecret"],
  ...["pass", "password", "passwd", "passphrase", "user-pass"],
  ...["auth", "authorization", "X-Auth", "oauth_verifier"],
  ...["sig", "signature", "X-Amz-Signature", "X-Goog-Signature", "oauth_signature"],
  ...["credential", "credentials", "X-Amz-Credential"],
];
const plain = ["v", "api-version", "model", "format", "n", "page", "region", "stream", "user_id"];

const spellings = (name: string) => [name, name.toUpperCase(), name.toLowerCase()];

describe("the value of a query is", () => {
  test.each(secret)("secret where it is called %s", (called) => {
    for (const name of spellings(called))
      for (const [before, after] of [
        ["?", ""],
        ["?v=1&", ""],
        ["?", "&v=1"],
        ["?v=1&", "&w=2#part"],
      ]) {
        const address = (value: string) => `https://host/v1${before}${name}=${value}${after}`;
        expect(hideCredentials(`see ${address("abc123")} now`)).toBe(`see ${address(HIDDEN)} now`);
        expect(new Redactor([]).clean(address("abc123"))).toBe(address(HIDDEN));
        expect(secretsIn(new URL(address("abc123")))).toContain("abc123");
      }
  });

  test.each(plain)("shown where it is called %s", (called) => {
    for (const name of spellings(called)) {
      const address = `https://host/v1?${name}=abc123&w=2`;
      expect(hideCredentials(`see ${address} now`)).toBe(`see ${address} now`);
      expect(secretsIn(new URL(address))).not.toContain("abc123");
    }
  });
});

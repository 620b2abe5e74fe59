/** The package `ndvm` is the command plus everything `@ndvm/core` exports. */

export * from "@ndvm/core";

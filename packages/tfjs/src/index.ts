/**
 * The public face of @ndvm/tfjs.
 */

export { operation } from "./operation.js";
export type {
  InputKind,
  Operation,
  OperationInput,
  OperationInputs,
  OperationOptions,
} from "./types.js";

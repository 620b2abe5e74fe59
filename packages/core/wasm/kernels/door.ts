/**
 * The kernel test door: dispatch by op code on an operand block, for tests that call kernels
 * without the machine around them.
 */
export {
  adjointElementwise,
  forwardElementwise,
  forwardPredicate,
} from "../generated/elementwise";
export { adjointStructured, forwardStructured } from "../generated/structured";

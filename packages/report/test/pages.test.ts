/** Reports in Node. */

import { pageTests } from "./pages.shared.js";

pageTests();

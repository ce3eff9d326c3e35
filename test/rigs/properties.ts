/** fast-check, beginning with the run's seed. */
import fc from 'fast-check';
import { seed } from './seed.js';

fc.configureGlobal({ seed });
export default fc;

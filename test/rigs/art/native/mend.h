#pragma once

// Of a packaged runtime, what its build got wrong. False: it is wrong in another way than is known here; that was printed.
bool MendRuntime();

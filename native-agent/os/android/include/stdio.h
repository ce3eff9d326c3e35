#pragma once
// jni.h includes <stdio.h> and uses nothing of it; Android builds here have no C library headers.

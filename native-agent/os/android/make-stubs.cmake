# Link stubs for Android's libraries, from the list of functions the agent may use: the linker needs names, not code.
# cmake -DIFS=llvm-ifs -DARCH=AArch64 -DBITS=64 -DOUT=dir -P make-stubs.cmake
set(libc clock_gettime memcmp memcpy memmove memset pthread_create pthread_detach pthread_getspecific
    pthread_key_create pthread_setspecific strcmp strlen strncmp)
if(ARCH STREQUAL "ARM")
  list(APPEND libc __aeabi_memclr __aeabi_memclr4 __aeabi_memclr8 __aeabi_memcpy __aeabi_memcpy4 __aeabi_memcpy8
       __aeabi_memmove __aeabi_memmove4 __aeabi_memmove8 __aeabi_memset __aeabi_memset4 __aeabi_memset8)
endif()
set(libdl dl_iterate_phdr dlsym)
set(liblog __android_log_write)
file(MAKE_DIRECTORY "${OUT}")
foreach(library libc libdl liblog)
  set(text "--- !ifs-v1\nIfsVersion: 3.0\nSoName: ${library}.so\nTarget: { ObjectFormat: ELF, Arch: ${ARCH}, Endianness: little, BitWidth: ${BITS} }\nSymbols:\n")
  foreach(symbol IN LISTS ${library})
    string(APPEND text "  - { Name: ${symbol}, Type: Func }\n")
  endforeach()
  file(WRITE "${OUT}/${library}.ifs" "${text}...\n")
  execute_process(COMMAND "${IFS}" "--input-format=IFS" "--output-elf=${OUT}/${library}.so" "${OUT}/${library}.ifs"
                  RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "llvm-ifs could not make ${library}.so")
  endif()
endforeach()

// Android's linker reads from this note which API level a library was built for.
namespace {
struct Note {
  int name_size, description_size, type;
  char name[8];
  int api_level;
};
}  // namespace

extern "C" __attribute__((used, visibility("hidden"), section(".note.android.ident"), aligned(4)))
const Note btrace_android_note{8, 4, 1, "Android", 26};

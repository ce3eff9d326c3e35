// What programs ask of Darwin's dynamic linker.
#include <cstring>
#include <mutex>

#include "system.h"

namespace {

using Listener = void (*)(const void* header, intptr_t slide);
std::vector<Listener> g_listeners;
std::recursive_mutex g_loading;

const Image* image_of(uint32_t number) {
  return number < g_images.size() ? &g_images[number] : nullptr;
}

uint32_t image_count() {
  return static_cast<uint32_t>(g_images.size());
}
const char* image_name(uint32_t number) {
  const Image* image = image_of(number);
  return image ? image->path.c_str() : nullptr;
}
const void* image_header(uint32_t number) {
  const Image* image = image_of(number);
  return image ? image->base : nullptr;
}
intptr_t image_slide(uint32_t number) {
  const Image* image = image_of(number);
  return image ? image->slide : 0;
}
void on_added(Listener listener) {
  std::lock_guard hold(g_loading);
  g_listeners.push_back(listener);
  for (const Image& image : g_images)
    if (image.is_initialized) listener(image.base, image.slide);
}

void* open_library(const char* path, int) {
  std::lock_guard hold(g_loading);
  for (Image& image : g_images)
    if (image.path == path) return &image;
  Image& image = load(path);
  initialize_loaded();
  return &image;
}

// In all images (RTLD_DEFAULT) or in one.
void* symbol(void* handle, const char* name) {
  const std::string linked = std::string("_") + name;
  const auto everywhere = reinterpret_cast<void*>(-2);
  return handle == everywhere ? find_symbol(linked.c_str()) : static_cast<Image*>(handle)->symbol(linked.c_str());
}

const char* program_name() {
  const char* last = strrchr(g_program.argv[0], '/');
  return last ? last + 1 : g_program.argv[0];
}

const Export kExports[] = {
    {"_dyld_image_count", function(image_count)},
    {"_dyld_get_image_name", function(image_name)},
    {"_dyld_get_image_header", function(image_header)},
    {"_dyld_get_image_vmaddr_slide", function(image_slide)},
    {"_dyld_register_func_for_add_image", function(on_added)},
    {"dlopen", function(open_library)},
    {"dlsym", function(symbol)},
    {"getprogname", function(program_name)},
};

}  // namespace

void tell_listeners(const Image& image) {
  for (Listener listener : g_listeners) listener(image.base, image.slide);
}

Exports dyld_exports() {
  return {kExports, sizeof kExports / sizeof *kExports};
}

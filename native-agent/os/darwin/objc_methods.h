#pragma once
// Methods of Objective-C in an image, by what the image tells its runtime of them: they are neither exported nor, in
// the system's libraries, in the symbol table. By checked reads, as everything may change or go meanwhile.
#include "base/bytes.h"
#include "os/darwin/load_commands.h"
#include "os/image_functions.h"

namespace btrace::macho {

class ObjcMethods {
 public:
  // Once: of the largest library tens of thousands of reads, and a megabyte. `selectors`: the place from which lists of
  // the shared cache count their selectors; 0: not known.
  void read(const LoadCommands& commands, const Image& image, uintptr_t selectors);
  bool is_read() const { return is_read_; }
  void name(FoundFunctions& found) const;
  void release();
  u64 bytes() const { return methods_.capacity() + owners_.capacity(); }

 private:
  // A class, its class methods, or a category's part.
  struct Owner {
    uintptr_t at;
    u32 is_category, is_of_class;
  };
  struct Described {
    uintptr_t methods, class_name, category_name;
  };
  struct Method {
    u32 begin, owner;
  };
  struct MethodList {
    u32 flags, count;
  };

  void add_classes(const Section& section);
  void add_categories(const Section& section);
  void add(const Owner& owner);
  bool describe(const Owner& owner, Described& described) const;
  bool read_class(uintptr_t at, bool is_meta, Described& described) const;
  // Calls visit(code, selector place, whether it is the text itself) for each method.
  template <class Visit>
  void each_list(uintptr_t methods, Visit visit) const;
  template <class Visit>
  void each_method(uintptr_t list, Visit visit) const;
  void name(FoundFunctions& found, FoundFunctions::Function& function, const Owner& owner) const;
  void sort();
  const Method* methods() const { return reinterpret_cast<const Method*>(methods_.data()); }
  u32 count() const { return static_cast<u32>(methods_.size() / sizeof(Method)); }
  bool take_read() const { return reads_left_ && reads_left_--; }
  template <class T>
  bool read_at(uintptr_t at, T& value) const;
  size_t read_text(uintptr_t at, char* text, size_t most) const;

  bool is_read_ = false;
  uintptr_t begin_ = 0, end_ = 0, slide_ = 0, selectors_ = 0;
  mutable u32 reads_left_ = 0;
  Bytes methods_;  // ascending by begin
  Bytes owners_;
};

// In the runtime's library, whose image this is: where the shared cache's selectors are counted from; 0: it does not
// tell.
uintptr_t selectors_of_cache(const void* header, uintptr_t slide);

}  // namespace btrace::macho

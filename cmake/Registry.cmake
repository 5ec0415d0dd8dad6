# Plain registries: one generated file that lists what the folders hold. No self-registering objects (a static
# library drops them), no second list to keep in step.

# gpuprobe_registry(OUT var NAMESPACE ns HEADER h TYPE T FUNCTION f SUFFIX s NAMES a b c)
# writes a source that defines `const std::vector<T>& ns::f()` from `T ns::<name>_<suffix>()` of each name.
function(gpuprobe_registry)
  cmake_parse_arguments(R "" "OUT;NAMESPACE;HEADER;TYPE;FUNCTION;SUFFIX" "NAMES" ${ARGN})
  set(declarations "")
  set(entries "")
  foreach(name IN LISTS R_NAMES)
    string(APPEND declarations "${R_TYPE} ${name}_${R_SUFFIX}();\n")
    string(APPEND entries "      ${name}_${R_SUFFIX}(),\n")
  endforeach()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/registry_${R_FUNCTION}.cpp)
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "// Generated from the folder listing; do not edit.
#include \"@R_HEADER@\"

namespace @R_NAMESPACE@ {

@declarations@
const std::vector<@R_TYPE@>& @R_FUNCTION@() {
  static const std::vector<@R_TYPE@> kAll = {
@entries@  };
  return kAll;
}

}  // namespace @R_NAMESPACE@
")
  set(${R_OUT} ${file} PARENT_SCOPE)
endfunction()

# gpuprobe_embed(OUT var SYMBOL s FILE f): a source that defines `extern const char s[]` holding the text of f.
function(gpuprobe_embed)
  cmake_parse_arguments(E "" "OUT;SYMBOL;FILE" "" ${ARGN})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${E_FILE})
  file(READ ${E_FILE} text)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/embedded_${E_SYMBOL}.cpp)
  set(content "// Generated from ${E_FILE}; do not edit.\nnamespace gpuprobe::embedded {\nextern const char ${E_SYMBOL}[];\nconst char ${E_SYMBOL}[] = R\"gpuprobe_text(${text})gpuprobe_text\";\n}  // namespace gpuprobe::embedded\n")
  file(GENERATE OUTPUT ${file} CONTENT "${content}")
  set(${E_OUT} ${file} PARENT_SCOPE)
endfunction()

# gpuprobe_embed_folder(OUT var NAMESPACE ns HEADER h TYPE T FUNCTION f FILES a.md b.md): embeds each file and writes a
# source that defines `const std::vector<T>& ns::f()`, T = {file name without extension, text}.
function(gpuprobe_embed_folder)
  cmake_parse_arguments(F "" "OUT;NAMESPACE;HEADER;TYPE;FUNCTION" "FILES" ${ARGN})
  set(sources "")
  set(declarations "")
  set(entries "")
  foreach(path IN LISTS F_FILES)
    cmake_path(GET path STEM name)
    string(MAKE_C_IDENTIFIER "${F_FUNCTION}_${name}" symbol)
    gpuprobe_embed(OUT embedded SYMBOL ${symbol} FILE ${path})
    list(APPEND sources ${embedded})
    string(APPEND declarations "extern const char ${symbol}[];\n")
    string(APPEND entries "      {\"${name}\", gpuprobe::embedded::${symbol}},\n")
  endforeach()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/registry_${F_FUNCTION}.cpp)
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "// Generated from the folder listing; do not edit.
#include \"@F_HEADER@\"

namespace gpuprobe::embedded {
@declarations@}  // namespace gpuprobe::embedded

namespace @F_NAMESPACE@ {

const std::vector<@F_TYPE@>& @F_FUNCTION@() {
  static const std::vector<@F_TYPE@> kAll = {
@entries@  };
  return kAll;
}

}  // namespace @F_NAMESPACE@
")
  set(${F_OUT} ${sources} ${file} PARENT_SCOPE)
endfunction()

// fmt compiled once, from its own headers. Debian ships libfmt only as a shared library, which the binary must not
// need, and including it header-only everywhere costs seconds of compile time in every file.
#include <fmt/format-inl.h>

namespace fmt::inline v9::detail {

template dragonbox::decimal_fp<float> dragonbox::to_decimal(float);
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double);
template locale_ref::locale_ref(const std::locale&);
template std::locale locale_ref::get<std::locale>() const;
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);
template void buffer<char>::append(const char*, const char*);
template void vformat_to(buffer<char>&, string_view, basic_format_args<buffer_context<char>>, locale_ref);

}  // namespace fmt::inline v9::detail

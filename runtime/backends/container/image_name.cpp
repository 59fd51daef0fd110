// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/container/image_name.hpp"

#include <algorithm>
#include <array>

namespace argosy::backends {

namespace {

constexpr std::size_t name_max = 512;
constexpr std::string_view algorithm = "sha256:";
constexpr std::size_t digest_size = 64;

bool only_of(std::string_view text, std::string_view more) {
  return std::ranges::all_of(text, [more](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || more.find(c) != more.npos;
  });
}

bool is_digest(std::string_view text) {
  return text.starts_with(algorithm) && text.size() == algorithm.size() + digest_size &&
         text.find_first_not_of("0123456789abcdef", algorithm.size()) == text.npos;
}

bool is_registry(std::string_view first) {
  return first == "localhost" || first.find_first_of(".:") != first.npos;
}

constexpr std::string_view upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

bool is_valid(const image_name& name) {
  return !name.repository.empty() && only_of(name.repository, "._-/") &&
         name.repository.front() != '/' && name.repository.back() != '/' &&
         name.repository.find("//") == std::string::npos &&
         name.repository.find("..") == std::string::npos && !name.registry.starts_with('.') &&
         only_of(name.registry, std::string{".-:[]"} + std::string{upper}) &&
         only_of(name.tag, std::string{"._-"} + std::string{upper}) && name.tag.size() <= 128;
}

}  // namespace

result<image_name> parse_image(std::string_view text) {
  const auto wrong = [text](std::string_view why) {
    return fail(ec::invalid_argument, "'" + std::string{text.substr(0, name_max)} +
                                          "' is no name of an image: " + std::string{why});
  };
  if (text.size() > name_max) return wrong("it is too long");
  image_name out;
  auto rest = text;
  if (const auto at = rest.find('@'); at != rest.npos) {
    out.digest = rest.substr(at + 1);
    if (!is_digest(out.digest)) return wrong("behind '@' there has to be sha256: and 64 digits");
    rest = rest.substr(0, at);
  }
  const auto slash = rest.rfind('/');
  if (const auto colon = rest.rfind(':');
      colon != rest.npos && (slash == rest.npos || colon > slash)) {
    out.tag = rest.substr(colon + 1);
    if (out.tag.empty()) return wrong("the tag behind ':' is empty");
    rest = rest.substr(0, colon);
  }
  if (!out.digest.empty()) out.tag.clear();
  if (out.digest.empty() && out.tag.empty()) out.tag = "latest";
  const auto first = rest.substr(0, rest.find('/'));
  if (first.size() < rest.size() && is_registry(first)) {
    out.registry = first;
    out.repository = rest.substr(first.size() + 1);
  } else {
    out.repository = rest.find('/') == rest.npos ? "library/" + std::string{rest} : rest;
  }
  if (rest.empty() || !is_valid(out))
    return wrong("it needs [REGISTRY/]NAME[:TAG] in small letters");
  return out;
}

std::string repository_of(const image_name& name) {
  return name.registry + (name.registry.empty() ? "" : "/") + name.repository;
}

std::string to_string(const image_name& name) {
  return repository_of(name) + (name.digest.empty() ? ":" + name.tag : "@" + name.digest);
}

bool is_allowed(const image_name& name, const std::vector<std::string>& prefixes) {
  const auto full = repository_of(name);
  return prefixes.empty() || std::ranges::any_of(prefixes, [&](std::string_view prefix) {
           if (prefix.ends_with('/')) prefix.remove_suffix(1);
           return full.starts_with(prefix) &&
                  (full.size() == prefix.size() || full[prefix.size()] == '/');
         });
}

bool may_change(const image_name& name) {
  return name.digest.empty() && name.tag == "latest";
}

bool is_on_loopback(const image_name& name) {
  const std::string_view registry = name.registry;
  const auto host = registry.substr(0, registry.rfind(':'));
  // Others have names such as 127.example.com.
  const bool is_address = host.find_first_not_of("0123456789.") == host.npos;
  return registry == "[::1]" || host == "[::1]" || host == "localhost" ||
         (is_address && host.starts_with("127."));
}

std::string last_words(std::string_view output) {
  while (output.ends_with('\n')) output.remove_suffix(1);
  auto line = std::string{output.substr(output.rfind('\n') + 1)};
  // skopeo logs: time="..." level=fatal msg="..."
  if (const auto at = line.find(" msg=\""); at != std::string::npos) {
    line = line.substr(at + 6);
    if (line.ends_with('"')) line.pop_back();
  }
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i)
    if (line[i] != '\\' || i + 1 == line.size() || line[i + 1] == '\\') out += line[i];
  for (auto& c : out)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  constexpr std::size_t size_max = 400;
  if (out.size() > size_max) out = out.substr(0, size_max) + "...";
  return out;
}

bool blames_image(std::string_view said) {
  constexpr std::array<std::string_view, 14> words{"manifest unknown",
                                                   "manifest invalid",
                                                   "name unknown",
                                                   "unauthorized",
                                                   "authentication requi",
                                                   "denied",
                                                   "no image found",
                                                   "not match",
                                                   "unsupported",
                                                   "invalid reference",
                                                   "digest",
                                                   "not allowed",
                                                   "blocked",
                                                   "unpack"};
  return std::ranges::any_of(words, [said](auto word) { return said.find(word) != said.npos; });
}

}  // namespace argosy::backends

// SPDX-License-Identifier: Apache-2.0
// The names of images, as pods write them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy::backends {

struct image_name {
  std::string registry;    ///< Empty: Docker Hub, which is meant where a name has none.
  std::string repository;  ///< "library/busybox"
  std::string tag;         ///< Empty where there is a digest.
  std::string digest;      ///< "sha256:" and 64 digits, or empty.

  friend bool operator==(const image_name&, const image_name&) = default;
};

/// Reads "busybox", "busybox:1.36", "registry:5000/team/tool@sha256:...". Fails with
/// ec::invalid_argument for what no registry could have.
[[nodiscard]] result<image_name> parse_image(std::string_view text);

/// "registry:5000/team/tool"; "library/busybox" of Docker Hub.
[[nodiscard]] std::string repository_of(const image_name& name);
/// "registry:5000/team/tool:latest", or with the digest instead of the tag.
[[nodiscard]] std::string to_string(const image_name& name);

/// Whether one of the prefixes, which end at a '/' or at the end of a name, covers the image. An
/// empty list covers all.
[[nodiscard]] bool is_allowed(const image_name& name, const std::vector<std::string>& prefixes);

/// Whether a registry may have another image there tomorrow without anybody being surprised.
[[nodiscard]] bool may_change(const image_name& name);

/// Whether its registry is this machine, which need not speak TLS to itself.
[[nodiscard]] bool is_on_loopback(const image_name& name);

/// What a program that pulls said at its end, as a clause; empty: nothing.
[[nodiscard]] std::string last_words(std::string_view output);

/// Whether what was said blames the image or the rights to it, and not the way to the registry, so
/// that another machine would hear the same.
[[nodiscard]] bool blames_image(std::string_view said);

}  // namespace argosy::backends

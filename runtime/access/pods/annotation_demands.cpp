// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/pods/annotation_demands.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace argosy::access {

namespace {

using enum pod_control;

constexpr std::string_view app_armor_annotation = "container.apparmor.security.beta.kubernetes.io/";
/// Clusters before 1.27 take seccomp profiles from annotations.
constexpr std::array<std::string_view, 2> seccomp_annotations{
    "seccomp.security.alpha.kubernetes.io/pod", "container.seccomp.security.alpha.kubernetes.io/"};
constexpr std::array<std::string_view, 3> own_annotations{"argosy.io/", "armadaproject.io/",
                                                          "armada_"};
/// The beginnings of annotations that reach far.
constexpr std::array<std::string_view, 11> far_reaching{"k8s.v1.cni.cncf.io/",
                                                        "v1.multus-cni.io/",
                                                        "cni.projectcalico.org/",
                                                        "k8s.ovn.org/",
                                                        "io.katacontainers.",
                                                        "io.kubernetes.cri-o.",
                                                        "iam.amazonaws.com/",
                                                        "eks.amazonaws.com/",
                                                        "external-dns.alpha.kubernetes.io/",
                                                        "security.alpha.kubernetes.io/",
                                                        "service.beta.kubernetes.io/"};
/// What such annotations of ingresses have in their names.
constexpr std::array<std::string_view, 4> far_reaching_parts{"snippet", "server-alias", "auth-tls",
                                                             "-secret"};

}  // namespace

bool is_far_reaching(std::string_view annotation) {
  return std::ranges::any_of(far_reaching,
                             [&](auto begin) { return annotation.starts_with(begin); }) ||
         std::ranges::any_of(far_reaching_parts, [&](auto piece) {
           return annotation.find(piece) != std::string_view::npos;
         });
}

void add_annotation_demand(std::string_view name, std::string_view value,
                           std::vector<pod_demand>& out) {
  if (std::ranges::any_of(own_annotations, [&](auto own) { return name.starts_with(own); })) return;
  const auto place = "annotations[\"" + std::string{name} + "\"]";
  const bool is_usual = value.empty() || value == "runtime/default" || value == "docker/default" ||
                        value.starts_with("localhost/");
  if (name.starts_with(app_armor_annotation)) {
    if (!is_usual) out.push_back({app_armor, place, std::string{value}, false});
  } else if (std::ranges::any_of(seccomp_annotations,
                                 [&](auto begin) { return name.starts_with(begin); })) {
    if (!is_usual) out.push_back({seccomp, place, std::string{value}, false});
  } else {
    out.push_back({annotation, place, std::string{name}, false});
  }
}

}  // namespace argosy::access

// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/volumes/volume_looks.hpp"

#include <utility>

#include "runtime/backends/kubernetes/trouble/http_status.hpp"
#include "runtime/kube/read_json.hpp"

namespace argosy::backends {

namespace {

/// A right that was missing may have been given meanwhile.
constexpr boot_time ask_again_after = std::chrono::minutes{10};

constexpr const char* namespaces_path = "/api/v1/namespaces/";
constexpr const char* volumes_path = "/api/v1/persistentvolumes/";

}  // namespace

bool volume_looks::may_ask(const std::string& name_space, boot_time now) const {
  const auto found = denied_.find(name_space);
  return found == denied_.end() || now - found->second >= ask_again_after;
}

bool volume_looks::begin(finding about, const std::string& name_space,
                         const std::vector<std::string>& claims, boot_time now) {
  if (claims.empty() || !may_ask(name_space, now) || !may_ask({}, now)) return false;
  for (const auto& claim : claims)
    step_.questions.push_back(
        {about.run, claim, {}, namespaces_path + name_space + "/persistentvolumeclaims/" + claim});
  const auto run = about.run;
  runs_[run] = {std::move(about), claims.size()};
  return true;
}

void volume_looks::deny(const std::string& path, boot_time now) {
  std::string name_space;
  if (path.starts_with(namespaces_path)) {
    name_space = path.substr(std::string{namespaces_path}.size());
    name_space.resize(name_space.find('/'));
  }
  // It is said once; whoever asks again later knows it already.
  const bool is_new = denied_.insert_or_assign(name_space, now).second;
  if (is_new)
    step_.denied.push_back(name_space.empty()
                               ? "persistentvolumes"
                               : "persistentvolumeclaims in namespace '" + name_space + "'");
}

void volume_looks::close(const model::run_key& run) {
  const auto found = runs_.find(run);
  if (--found->second.open > 0) return;
  step_.found.push_back(std::move(found->second.about));
  runs_.erase(found);
}

void volume_looks::answered(const question& what, const result<kube::answer>& answer,
                            boot_time now) {
  if (answer && answer->status == http_forbidden) deny(what.path, now);
  const auto found = runs_.find(what.run);
  if (found == runs_.end()) return;
  if (!answer || !answer->ok()) return close(what.run);
  const auto object = kube::read_json(answer->body);
  if (what.volume.empty()) {
    const auto volume = volume_of(object);
    if (volume.empty()) return close(what.run);
    return step_.questions.push_back({what.run, what.claim, volume, volumes_path + volume});
  }
  if (auto nodes = affinity_of_volume(object))
    found->second.about.claims.push_back({what.claim, what.volume, std::move(*nodes)});
  close(what.run);
}

}  // namespace argosy::backends

// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/link/cluster_identity.hpp"

#include <iterator>
#include <utility>

#include "runtime/backends/kubernetes/object.hpp"
#include "runtime/backends/kubernetes/trouble/http_status.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/kube/read_json.hpp"

namespace argosy::backends {

cluster_identity::cluster_identity(std::filesystem::path folder)
    : file_(folder.empty() ? std::move(folder) : folder / "cluster-uid") {
  if (file_.empty()) return;
  if (auto kept = read_file(file_)) uid_ = std::move(*kept);
}

kube::request cluster_identity::question() {
  kube::request out;
  out.path = "/api/v1/namespaces/kube-system";
  return out;
}

std::optional<std::string> cluster_identity::answered(const result<kube::answer>& answer) {
  if (!answer) return "does not answer (" + answer.error().detail + ")";
  if (answer->status >= http_server_error || answer->status == http_unauthorized)
    return "does not say which cluster it is (status " + std::to_string(answer->status) + ")";
  const auto uid =
      answer->ok() ? object::text(object::part(kube::read_json(answer->body), "metadata"), "uid")
                   : std::string{};
  // A cluster that was made anew has no such namespace at first, and one that has much to do says
  // so whichever it is. Whoever may not read it goes without the check.
  if (uid.empty() && !uid_.empty() && answer->status != http_forbidden)
    return "does not say which cluster it is (status " + std::to_string(answer->status) +
           ", without the UID of namespace kube-system)";
  if (!uid.empty() && !uid_.empty() && uid != uid_)
    return "is that of another cluster than the one in which this agent has made its pods (UID of "
           "namespace kube-system: " +
           uid + ", not " + uid_ +
           "); have kubernetes.kubeconfig name the old one, or, if that is gone for good, stop the "
           "agent, run argosyctl cluster forget, and start it with an empty data directory";
  if (!uid.empty() && uid_.empty()) {
    uid_ = uid;
    // Without the file the next agent goes without the check.
    if (!file_.empty()) static_cast<void>(write_file(file_, uid_, sync_mode::no));
  }
  is_doubted_ = false;
  return std::nullopt;
}

void cluster_identity::hold(const std::string& collection, bool is_list, letter what) {
  auto& queue = waiting_[collection];
  if (is_list) queue.clear();
  queue.push_back(std::move(what));
}

std::vector<cluster_identity::letter> cluster_identity::take() {
  std::vector<letter> out;
  if (is_doubted_) return out;
  for (auto& [collection, queue] : std::exchange(waiting_, {}))
    out.insert(out.end(), std::make_move_iterator(queue.begin()),
               std::make_move_iterator(queue.end()));
  return out;
}

}  // namespace argosy::backends

// SPDX-License-Identifier: Apache-2.0
// The unpacked images of this machine: IMAGES/DIGEST/ has `facts` and `files`, and IMAGES/names/KEY
// which digest a name had last for somebody with certain secrets. An image comes to be beside its
// place and is renamed, and files of images are never changed.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/backends/container/image_facts.hpp"
#include "runtime/backends/container/image_name.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/model/byte_size.hpp"
#include "runtime/model/process_plan.hpp"

namespace argosy::backends {

struct image_store_config {
  std::filesystem::path folder;
  std::string skopeo;
  std::string umoci;
  std::vector<std::string> registries;  ///< Prefixes of what may be pulled; empty: anything.
  std::string auth_file;                ///< For all jobs; empty: none.
  std::string registries_conf;          ///< Instead of that of the distribution; empty: that one.
  model::byte_size size_max{};          ///< How much all images may take; 0: not limited.
  std::chrono::milliseconds pull_timeout{600'000};
  /// Says whether the disk has no room any more, as a sentence; empty: it has.
  std::function<std::string()> lack_of_room;
  /// Whether files of the folder are used by a run.
  std::function<bool(const std::string& files)> in_use;
};

struct stored_image {
  image_facts facts;
  std::string files;                 ///< The folder with its files.
  std::shared_ptr<const void> hold;  ///< As long as it lives, the image stays.
};

/// What somebody wants; a secret is the file that has it.
struct image_wish {
  image_name name;
  std::string text;  ///< As the pod has it, for messages.
  model::pull_policy pull = model::pull_policy::if_missing;
  std::vector<std::string> secrets;
  boot_time wanted{};  ///< What a registry is asked after this time is asked for the wish as well.
};

class image_store {
 public:
  /// Removes what an earlier agent left unfinished.
  explicit image_store(image_store_config config);

  /// The image, which is pulled if need be. Waits, also for somebody else who pulls it. Errors are
  /// those of pod_source::prepare().
  [[nodiscard]] result<stored_image> get(const image_wish& wish);

  /// Takes the image out of its place that was not used for the longest time, and returns where it
  /// is to be removed; empty: all are used.
  [[nodiscard]] std::filesystem::path put_oldest_away();

  /// Whatever is being pulled fails, and so does what is asked for afterwards.
  void stop() { stopping_ = true; }

 private:
  /// What a registry said when it was asked for a name; nothing: it has not said it yet.
  struct answer {
    boot_time begun;
    std::optional<result<std::string>> digest;
  };
  struct kept_image {
    std::filesystem::file_time_type used;
    std::filesystem::path place;
    std::string digest;
    std::int64_t size;
  };

  [[nodiscard]] std::string key_of(const image_wish& wish) const;
  [[nodiscard]] std::filesystem::path place_of(const std::string& digest) const;
  [[nodiscard]] result<std::string> find_digest(const image_wish& wish);
  [[nodiscard]] result<std::string> ask_digest(const image_wish& wish);
  [[nodiscard]] result<stored_image> open(const std::string& digest);
  [[nodiscard]] result<void> pull(const image_wish& wish, const std::string& digest);
  [[nodiscard]] result<image_facts> unpack(const image_wish& wish,
                                           const std::filesystem::path& part);
  [[nodiscard]] result<std::string> skopeo(const image_wish& wish, std::vector<std::string> words,
                                           const std::vector<std::string>& behind,
                                           const std::string& flag_prefix);
  [[nodiscard]] result<void> obstacle() const;
  [[nodiscard]] std::vector<kept_image> kept_images() const;
  [[nodiscard]] std::filesystem::path put_away(const kept_image& image);
  void make_room();

  image_store_config config_;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::condition_variable pulled_;
  std::set<std::string> pulling_;                   ///< Digests; guarded by mutex_.
  std::map<std::string, answer> answers_;           ///< By key_of(); guarded by mutex_.
  std::map<std::string, std::weak_ptr<int>> held_;  ///< By digest; guarded by mutex_.
};

}  // namespace argosy::backends

// SPDX-License-Identifier: Apache-2.0
// The loop disk is a small ext4 file system in a file, whose power can be cut. It needs root and
// loop devices.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/process/child.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::testing {

class loop_disk {
 public:
  explicit loop_disk(int megabytes) {
    std::filesystem::create_directory(folder());
    ready_ = ::geteuid() == 0 &&
             call({"truncate", "-s", std::to_string(megabytes) + "M", image()}) &&
             call({"mkfs.ext4", "-q", image()}) && attach();
  }
  ~loop_disk() { detach(); }
  loop_disk(const loop_disk&) = delete;
  loop_disk& operator=(const loop_disk&) = delete;

  /// False where this machine cannot have such a disk.
  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] std::filesystem::path folder() const { return temp_.path() / "disk"; }

  /// Brings everything to the disk, as the kernel does after half a minute.
  bool sync() { return call({"sync", "-f", folder().string()}); }
  /// Keeps what a power cut at this moment leaves: what the file system has written to its device,
  /// and nothing that only its cache holds. Whoever writes should be stopped meanwhile.
  bool cut() { return call({"cp", "--sparse=always", image(), image() + ".cut"}); }
  /// Goes on with what the cut has left. Nobody may use the disk.
  bool come_back() {
    detach();
    std::filesystem::rename(image() + ".cut", image());
    return attach();
  }

 private:
  [[nodiscard]] std::string image() const { return (temp_.path() / "image").string(); }
  bool attach() { return call({"mount", "-o", "loop", image(), folder().string()}); }
  void detach() { call({"umount", folder().string()}); }
  bool call(std::vector<std::string> words) {
    words.insert(words.begin(), "/usr/bin/env");
    launch how;
    how.words = std::move(words);
    how.environment = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"};
    return run(how, temp_.path(), std::chrono::seconds{30}).code == 0;
  }

  temp_folder temp_;
  bool ready_ = false;
};

}  // namespace argosy::testing

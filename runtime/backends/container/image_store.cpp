// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/container/image_store.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/backends/container/child.hpp"
#include "runtime/backends/platform.hpp"
#include "runtime/backends/process/folder_use.hpp"
#include "runtime/backends/process/retention.hpp"
#include "runtime/backends/run/file.hpp"

namespace argosy::backends {

namespace {

namespace fs = std::filesystem;

constexpr const char* names_folder = "names";
constexpr const char* part_prefix = ".part-";

/// Who waits for longer to ask a registry asks it himself.
constexpr std::chrono::minutes answers_kept{1};

/// A text that is a name of a file, and that no other text becomes.
std::string as_file_name(std::string_view text) {
  constexpr const char* digits = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    if (plain) {
      out += c;
      continue;
    }
    out += '_';
    out += digits[static_cast<unsigned char>(c) >> 4];
    out += digits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

/// Reads a file of an image as its processes would, so that a link in it leads nowhere else.
std::string read_within(const fs::path& root, const char* name) {
  const unique_fd top{::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const unique_fd file{static_cast<int>(::syscall(SYS_openat2, top.get(), name, &how, sizeof how))};
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  return read_file(descriptor_path(file), 1 << 20).value_or(std::string{});
}

/// A blob of an OCI layout.
result<std::string> read_blob(const fs::path& layout, std::string digest) {
  // The name of a file, so that it leads nowhere else.
  if (digest.find_first_of("/.") != std::string::npos)
    return fail(ec::invalid_argument, "the image has a digest that is none");
  std::ranges::replace(digest, ':', '/');
  return read_file(layout / "blobs" / digest);
}

/// Removes device files: crun shows the root without the flag that keeps them from working, and a
/// container may be user 0.
result<void> remove_devices(const fs::path& files) {
  std::error_code code;
  std::vector<fs::path> devices;
  for (fs::recursive_directory_iterator it{files, code}, end; !code && it != end;
       it.increment(code)) {
    const auto kind = it->symlink_status(code).type();
    if (kind == fs::file_type::block || kind == fs::file_type::character)
      devices.push_back(it->path());
  }
  for (const auto& path : devices)
    if (!code) fs::remove(path, code);
  if (code) return fail(system_error("look through its files", code.value()));
  return {};
}

result<image_facts> read_facts_of(const fs::path& layout) {
  const auto index = read_file(layout / "index.json");
  if (!index) return fail(index.error());
  const auto manifest_digest = manifest_in_index(*index);
  if (!manifest_digest) return fail(manifest_digest.error());
  const auto manifest = read_blob(layout, *manifest_digest);
  if (!manifest) return fail(manifest.error());
  const auto config_digest = config_in_manifest(*manifest);
  if (!config_digest) return fail(config_digest.error());
  const auto config = read_blob(layout, *config_digest);
  if (!config) return fail(config.error());
  return read_image_config(*config);
}

error cannot_pull(const image_wish& wish, ec code, const std::string& why) {
  return {code, "cannot pull image '" + wish.text + "': " + why};
}

}  // namespace

image_store::image_store(image_store_config config) : config_(std::move(config)) {
  std::error_code code;
  fs::create_directories(config_.folder / names_folder, code);
  ::chmod(config_.folder.c_str(), 0700);
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator{config_.folder, code})
    if (entry.path().filename().string().starts_with(part_prefix)) left.push_back(entry.path());
  for (const auto& path : left) remove_tree(path);
  left.clear();
  for (const auto& entry : fs::directory_iterator{config_.folder / names_folder, code}) {
    const auto digest = read_file(entry.path(), 256);
    if (!digest || !fs::exists(place_of(*digest) / "facts", code)) left.push_back(entry.path());
  }
  for (const auto& path : left) fs::remove(path, code);
}

fs::path image_store::place_of(const std::string& digest) const {
  return config_.folder / as_file_name(digest);
}

/// What somebody may have by his secrets is not for others: they have to ask the registry.
std::string image_store::key_of(const image_wish& wish) const {
  auto out = to_string(wish.name);
  for (const auto& each : wish.secrets) out += " " + each;
  // Names of files have an end.
  constexpr std::size_t name_max = 200;
  const auto name = as_file_name(out);
  return name.size() <= name_max
             ? name
             : name.substr(0, name_max) + "-" + std::to_string(std::hash<std::string>{}(out));
}

result<void> image_store::obstacle() const {
  if (stopping_) return fail(ec::cancelled, "the agent ends");
  if (auto lack = config_.lack_of_room(); !lack.empty()) return fail(ec::out_of_space, lack);
  return {};
}

result<stored_image> image_store::open(const std::string& digest) {
  const auto place = place_of(digest);
  const std::lock_guard guard{mutex_};
  std::error_code code;
  const auto bytes = read_file(place / "facts");
  if (!bytes || !fs::is_directory(place / "files", code))
    return fail(ec::not_found, "no image " + digest);
  auto facts = decode_facts(*bytes);
  if (!facts) return fail(std::move(facts.error()));
  // Who was used last is the last to go.
  ::utimensat(AT_FDCWD, (place / "facts").c_str(), nullptr, 0);
  auto hold = held_[digest].lock();
  if (!hold) held_[digest] = hold = std::make_shared<int>(0);
  return stored_image{std::move(*facts), (place / "files").string(), std::move(hold)};
}

result<stored_image> image_store::get(const image_wish& wish) {
  const auto name_file = config_.folder / names_folder / key_of(wish);
  if (!is_allowed(wish.name, config_.registries))
    return fail(ec::denied, "image '" + wish.text +
                                "' is not among container.registries, from "
                                "which this agent takes images");
  if (wish.pull != model::pull_policy::always)
    if (const auto known = read_file(name_file))
      if (auto stored = open(*known)) return stored;
  if (wish.pull == model::pull_policy::never)
    return fail(ec::not_found, "image '" + wish.text +
                                   "' is not on this machine, and imagePullPolicy Never forbids to "
                                   "pull it");
  const auto digest = find_digest(wish);
  if (!digest) return fail(digest.error());
  {
    std::unique_lock guard{mutex_};
    pulled_.wait(guard, [&] { return !pulling_.contains(*digest); });
    pulling_.insert(*digest);
  }
  auto stored = open(*digest);
  result<void> pulled;
  if (!stored) pulled = pull(wish, *digest);
  if (!stored && pulled) stored = open(*digest);
  {
    const std::lock_guard guard{mutex_};
    pulling_.erase(*digest);
  }
  pulled_.notify_all();
  if (!pulled) return fail(std::move(pulled.error()));
  if (stored) static_cast<void>(write_file(name_file, *digest, sync_mode::no));
  return stored;
}

/// Calls skopeo with the secrets in turn, or with none, until one goes. Without a file it would
/// take the rights of the agent's own user, which are not for jobs.
result<std::string> image_store::skopeo(const image_wish& wish, std::vector<std::string> words,
                                        const std::vector<std::string>& behind,
                                        const std::string& flag_prefix) {
  auto secrets = wish.secrets;
  if (secrets.empty()) secrets.push_back(config_.auth_file);
  words.insert(words.begin(), config_.skopeo);
  if (!config_.registries_conf.empty())
    words.insert(words.begin() + 1, "--registries-conf=" + config_.registries_conf);
  result<std::string> out = fail(ec::internal, {});
  for (const auto& secret : secrets) {
    auto all = words;
    all.push_back("--" + flag_prefix + (secret.empty() ? "no-creds" : "authfile=" + secret));
    all.insert(all.end(), behind.begin(), behind.end());
    auto end = run_child(all, config_.pull_timeout, [this] { return obstacle(); });
    if (!end) return fail(cannot_pull(wish, end.error().code, end.error().detail));
    if (end->exit_code == 0) return std::move(end->out);
    const auto said = last_words(end->err);
    out = fail(cannot_pull(wish, blames_image(said) ? ec::not_found : ec::unreachable,
                           said.empty() ? "skopeo does not say why" : said));
  }
  return out;
}

/// Asks the registry, unless somebody else has begun to ask it the same since this is wanted.
result<std::string> image_store::find_digest(const image_wish& wish) {
  const auto key = key_of(wish);
  {
    std::unique_lock guard{mutex_};
    pulled_.wait(guard, [&] { return !answers_.contains(key) || answers_[key].digest; });
    if (const auto found = answers_.find(key);
        found != answers_.end() && found->second.begun >= wish.wanted)
      return *found->second.digest;
    const auto now = boot_now();
    std::erase_if(answers_, [now](const auto& each) {
      return each.second.digest && each.second.begun < now - answers_kept;
    });
    answers_[key] = {now, std::nullopt};
  }
  auto out = ask_digest(wish);
  {
    const std::lock_guard guard{mutex_};
    answers_[key].digest = out;
  }
  pulled_.notify_all();
  return out;
}

result<std::string> image_store::ask_digest(const image_wish& wish) {
  std::vector<std::string> words{"inspect", "--no-tags", "--format={{.Digest}}"};
  if (is_on_loopback(wish.name)) words.emplace_back("--tls-verify=false");
  auto said = skopeo(wish, std::move(words), {"docker://" + to_string(wish.name)}, "");
  if (!said) return said;
  while (said->ends_with('\n')) said->pop_back();
  const auto name = parse_image(repository_of(wish.name) + "@" + *said);
  if (!name) return fail(cannot_pull(wish, ec::not_found, "its registry names no digest"));
  if (!wish.name.digest.empty() && name->digest != wish.name.digest)
    return fail(cannot_pull(wish, ec::not_found, "its registry has another image there: " + *said));
  return name->digest;
}

result<void> image_store::pull(const image_wish& wish, const std::string& digest) {
  if (auto ready = obstacle(); !ready)
    return fail(cannot_pull(wish, ready.error().code, ready.error().detail));
  const auto part = config_.folder / (part_prefix + as_file_name(digest));
  remove_tree(part);
  std::error_code code;
  fs::create_directories(part, code);
  struct remover {
    fs::path path;
    ~remover() { remove_tree(path); }
  } at_end{part};
  auto at_digest = wish.name;
  at_digest.digest = digest;
  std::vector<std::string> words{"copy", "--quiet"};
  if (is_on_loopback(wish.name)) words.emplace_back("--src-tls-verify=false");
  auto copied =
      skopeo(wish, std::move(words),
             {"docker://" + to_string(at_digest), "oci:" + (part / "oci").string() + ":x"}, "src-");
  if (!copied) return fail(std::move(copied.error()));
  auto facts = unpack(wish, part);
  if (!facts) return fail(std::move(facts.error()));
  facts->digest = digest;
  const auto bytes = encode(*facts);
  if (!bytes) return fail(cannot_pull(wish, ec::not_found, "its configuration has a zero byte"));
  remove_tree(part / "oci");
  if (auto written = write_file(part / "facts", *bytes, sync_mode::yes); !written)
    return fail(cannot_pull(wish, written.error().code, written.error().detail));
  // Once it has its name nobody looks whether all of it is there, so that it is on disk by then.
  const unique_fd written{::open(part.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  const auto place = place_of(digest);
  const auto broken = part / "broken";
  if (config_.in_use((place / "files").string()))
    return fail(
        cannot_pull(wish, ec::internal, "what is here of it is damaged, and a run uses it"));
  ::rename(place.c_str(), broken.c_str());
  if (!written || ::syncfs(written.get()) != 0 || ::rename(part.c_str(), place.c_str()) != 0)
    return fail(cannot_pull(wish, ec::internal, system_error("keep it", errno).detail));
  remove_tree(place / "broken");
  make_room();
  return {};
}

result<image_facts> image_store::unpack(const image_wish& wish, const fs::path& part) {
  auto facts = read_facts_of(part / "oci");
  if (!facts) return fail(cannot_pull(wish, ec::not_found, facts.error().detail));
  if (facts->os != "linux" || facts->architecture != own_architecture())
    return fail(cannot_pull(wish, ec::not_found,
                            "it is for " + facts->os + "/" + facts->architecture +
                                ", and this machine is linux/" + own_architecture()));
  std::vector<std::string> words{config_.umoci, "raw", "unpack"};
  if (::geteuid() != 0) words.emplace_back("--rootless");
  words.insert(words.end(), {"--image", (part / "oci").string() + ":x", (part / "files").string()});
  const auto end = run_child(words, config_.pull_timeout, [this] { return obstacle(); });
  if (!end) return fail(cannot_pull(wish, end.error().code, end.error().detail));
  if (end->exit_code != 0) {
    const auto lack = config_.lack_of_room();
    return fail(cannot_pull(
        wish, lack.empty() ? ec::not_found : ec::out_of_space,
        lack.empty() ? "its layers cannot be unpacked: " + last_words(end->err) : lack));
  }
  if (auto clean = remove_devices(part / "files"); !clean)
    return fail(cannot_pull(wish, clean.error().code, clean.error().detail));
  const auto user = user_of_image(facts->user, read_within(part / "files", "etc/passwd"),
                                  read_within(part / "files", "etc/group"));
  if (!user) return fail(cannot_pull(wish, ec::not_found, user.error().detail));
  facts->uid = user->first;
  facts->gid = user->second;
  facts->size = use_of_folder(part / "files", {}, stopping_).used.bytes;
  return facts;
}

/// All images, those first that were not used for the longest time. The caller holds the lock.
std::vector<image_store::kept_image> image_store::kept_images() const {
  std::vector<kept_image> out;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator{config_.folder, code}) {
    const auto bytes = read_file(entry.path() / "facts");
    const auto facts = bytes ? decode_facts(*bytes) : result<image_facts>{fail(bytes.error())};
    if (!facts || entry.path().filename().string().starts_with(part_prefix)) continue;
    std::error_code ignored;
    out.push_back({fs::last_write_time(entry.path() / "facts", ignored), entry.path(),
                   facts->digest, facts->size});
  }
  std::ranges::sort(out, {}, &kept_image::used);
  return out;
}

/// Takes an image out of its place, and returns where it is to be removed; empty: it is used. The
/// caller holds the lock.
fs::path image_store::put_away(const kept_image& image) {
  // The one that was just pulled has not been given out yet.
  if (pulling_.contains(image.digest) || !held_[image.digest].expired() ||
      config_.in_use((image.place / "files").string()))
    return {};
  auto away = config_.folder / (part_prefix + std::string{"old-"} + as_file_name(image.digest));
  return ::rename(image.place.c_str(), away.c_str()) == 0 ? away : fs::path{};
}

/// Removes images that nobody uses until the rest is within the bound.
void image_store::make_room() {
  if (config_.size_max.bytes == 0) return;
  std::vector<fs::path> away;
  {
    const std::lock_guard guard{mutex_};
    const auto all = kept_images();
    std::int64_t sum = 0;
    for (const auto& each : all) sum += each.size;
    for (const auto& each : all) {
      if (sum <= static_cast<std::int64_t>(config_.size_max.bytes)) break;
      auto path = put_away(each);
      if (path.empty()) continue;
      away.push_back(std::move(path));
      sum -= each.size;
    }
  }
  for (const auto& path : away) remove_tree(path);
}

fs::path image_store::put_oldest_away() {
  const std::lock_guard guard{mutex_};
  for (const auto& each : kept_images())
    if (auto away = put_away(each); !away.empty()) return away;
  return {};
}

}  // namespace argosy::backends

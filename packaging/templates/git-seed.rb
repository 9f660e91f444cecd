# packaging/make wrote this file.
class GitSeed < Formula
  desc "Disciplined working life for coding agents, inside an ordinary git repository"
  homepage "@URL@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    url "@URL@/git-seed-@VERSION@-universal-macos.tar.gz"
    sha256 "@SUM:universal-macos@"
  end

  on_linux do
    on_intel do
      url "@URL@/git-seed-@VERSION@-x86_64-linux.tar.gz"
      sha256 "@SUM:x86_64-linux@"
    end
    on_arm do
      url "@URL@/git-seed-@VERSION@-aarch64-linux.tar.gz"
      sha256 "@SUM:aarch64-linux@"
    end
  end

  def install
    bin.install "bin/git-seed"
    man1.install Dir["share/man/man1/*"]
    man5.install Dir["share/man/man5/*"]
    man7.install Dir["share/man/man7/*"]
    bash_completion.install "share/bash-completion/completions/git-seed"
    zsh_completion.install "share/zsh/site-functions/_git-seed"
    (share/"fish/vendor_conf.d").install "share/fish/vendor_conf.d/git-seed.fish"
    doc.install Dir["share/doc/git-seed/*"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/git-seed version")
    system bin/"git-seed", "tour", "--fast"
  end
end

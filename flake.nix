# git seed from source: `nix run`, `nix build`, `nix develop`. The version is that of Cargo.toml.
{
  description = "A disciplined working life for coding agents, inside an ordinary git repository";

  inputs.nixpkgs.url = "nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      package = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).package;
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = package.name;
          inherit (package) version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          # .cargo/config.toml links statically, which needs a libc.a that nixpkgs keeps apart.
          RUSTFLAGS = "";
          nativeBuildInputs = [ pkgs.installShellFiles ];
          nativeCheckInputs = [ pkgs.git ];
          # The tests take minutes and play whole sessions: `nix develop` and `cargo test` run them.
          doCheck = false;
          postInstall = ''
            installManPage man/*
            for shell in bash zsh fish; do
              $out/bin/git-seed completions $shell > git-seed.$shell
            done
            installShellCompletion --cmd git-seed --bash git-seed.bash --zsh git-seed.zsh --fish git-seed.fish
            install -D -m 644 -t $out/share/doc/git-seed packaging/THIRD-PARTY.txt packaging/sbom.cdx.json
          '';
          meta = {
            inherit (package) description;
            license = with nixpkgs.lib.licenses; [
              mit
              asl20
            ];
            mainProgram = "git-seed";
          };
        };
      });

      devShells = each (pkgs: {
        default = pkgs.mkShell {
          packages = [
            pkgs.cargo
            pkgs.clippy
            pkgs.rustc
            pkgs.rustfmt
            pkgs.git
          ];
          RUSTFLAGS = "";
        };
      });
    };
}

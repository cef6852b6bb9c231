#!/bin/sh
# Makes .venv/chromium for the test in a browser: a Chromium without a window, with its libraries and a font, from the npm
# registry (@sparticuz/chromium; Linux on x86-64). It needs npm and node. Run by `make chromium`.
set -eu
cd "$(dirname "$0")/.."
version=147.0.0
goal=.venv/chromium
[ "$(cat $goal/version 2>/dev/null)" = "$version" ] && exit 0
for tool in npm node tar; do
    command -v $tool >/dev/null || { echo "make chromium needs $tool; any Chromium on the PATH does as well." >&2; exit 2; }
done

rm -rf $goal
mkdir -p $goal/package
(cd $goal && tar xzf "$(npm pack --silent "@sparticuz/chromium@$version")" && rm ./*.tgz)
inflated() {
    node -e 'const zlib = require("zlib"); process.stdin.pipe(zlib.createBrotliDecompress()).pipe(process.stdout)' \
        <"$goal/package/bin/$1.br"
}
inflated chromium >$goal/chromium
chmod +x $goal/chromium
for part in al2023.tar fonts.tar; do inflated $part | tar xf - -C $goal --no-same-owner; done
rm -rf $goal/package
cat >$goal/fonts.conf <<END
<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>$PWD/$goal/fonts</dir><cachedir>$PWD/$goal/font-cache</cachedir></fontconfig>
END
echo "$version" >$goal/version
echo "Chromium $version is in $goal"

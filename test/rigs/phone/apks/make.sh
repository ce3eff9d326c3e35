#!/bin/sh
# Remakes shop.apk and bank.apk, from the folders of these names: apt-get install aapt android-framework-res zip
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
for app in shop bank; do
  mkdir "$work/res"
  [ ! -d "$app/res" ] || cp -r "$app/res" "$work"
  aapt2 compile --dir "$work/res" -o "$work/$app.zip"
  aapt2 link -I /usr/share/android-framework-res/framework-res.apk --manifest "$app/AndroidManifest.xml" -o "$app.apk" "$work/$app.zip"
  rm -r "$work/res"
done
# bank.apk has the agent's library in it, of which the name alone is looked for.
mkdir -p "$work/lib/x86_64"
echo 'in a real one: the agent' >"$work/lib/x86_64/libbtrace-agent.so"
touch -d 1980-01-01T00:00:00Z "$work/lib/x86_64/libbtrace-agent.so"
bank=$PWD/bank.apk
(cd "$work" && TZ=UTC zip -q -X -0 "$bank" lib/x86_64/libbtrace-agent.so)

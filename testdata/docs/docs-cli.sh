. "$ROOT/testdata/docs/log.sh"
sallyport audit keygen audit.key >/dev/null
sallyport audit checkpoint --sign-with audit.key >kept-elsewhere.jsonl
mkdir logs-of-all-replicas && cp -r "$XDG_STATE_HOME/sallyport/audit" logs-of-all-replicas/one
rm -r rules
sallyport policy new rules >/dev/null
sallyport policy new acme >/dev/null
mkdir -p .config/sallyport
cat >.config/sallyport/sallyport.yaml <<'END'
policy: {packs: [baseline]}
environments: {data: {description: numpy and pandas}}
END
echo 'policy: {packs: [strict]}' >new.yaml
# The clutter of a page is not what "check ." is about.
mkdir repository && cd repository && git init -q . && cp ../job.py . && git add job.py
git -c user.name=a -c user.email=a@example.org commit -qm first
cd .. && mv repository/.git . && rm -r repository
rm shell.py
# Checkpoints are made on this page before the copy is verified against them.
rm -r copy && ln -s "$XDG_STATE_HOME/sallyport/audit" copy

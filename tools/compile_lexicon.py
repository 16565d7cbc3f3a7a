"""Write the compiled lexicon, which loads ten times faster than its YAML files. Run this after editing the YAML files.

    python tools/compile_lexicon.py

If you forget, nothing breaks: an outdated compiled file is not used.
"""

from radeval_core.findings.lexicon_files import write_compiled

if __name__ == "__main__":
    print(f"wrote {write_compiled().name}")

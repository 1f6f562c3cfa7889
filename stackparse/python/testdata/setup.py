from setuptools import setup
setup(
    install_requires=["stripe>=9", 'twilio'],
    extras_require={"ai": ["openai"]},
)

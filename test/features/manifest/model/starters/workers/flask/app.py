from flask import Flask

web = Flask(__name__)


@web.route("/ping")
def ping():
    return ""

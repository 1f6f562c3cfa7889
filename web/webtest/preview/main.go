// Command preview serves every page with made-up data, reading templates and styles from disk at each request.
//
//	go run ./web/webtest/preview -listen 127.0.0.1:8099
package main

import (
	"flag"
	"log/slog"
	"os"

	"downwind/secret"
	"downwind/web"
	"downwind/web/webtest"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8099", "address to listen on")
	assets := flag.String("assets", "web", "folder with templates and static; empty: those built in")
	home := flag.String("home", "", "team whose stack decides what is yours, such as checkout")
	flag.Parse()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	world := webtest.New()
	opt := world.Options()
	opt.Logger, opt.HomeTeam, opt.AdminToken = log, *home, secret.New("preview")
	if *assets != "" {
		opt.Assets = os.DirFS(*assets)
	}
	srv, err := web.New(opt)
	if err != nil {
		log.Error("preview", "error", err)
		os.Exit(1)
	}
	log.Info("sign in with the token preview", "address", "http://"+*listen)
	if err := web.HTTPServer(*listen, srv, log).ListenAndServe(); err != nil {
		log.Error("preview", "error", err)
		os.Exit(1)
	}
}

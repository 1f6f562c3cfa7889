package syndication

import (
	"strings"

	"downwind"
)

// foreignStates are phrases that tell a state in other languages than English, in lower case, strongest first; a phrase of
// the second list says that the first does not hold yet.
var foreignStates = []struct {
	phase        downwind.Phase
	phrases, but []string
}{
	{downwind.Resolved, []string{
		"wurde behoben", "wurden behoben", "ist behoben", "sind behoben", "störung behoben", "problem behoben", "konnte behoben", "wieder verfügbar", "wieder normal", // German
		"est résolu", "été résolu", "incident résolu", "problème résolu", "est rétabli", "été rétabli", "retour à la normale", // French
		"ha sido resuelto", "se ha resuelto", "fue resuelto", "está resuelto", "incidente resuelto", "problema resuelto", "ha sido solucionado", "servicio restablecido", // Spanish
		"foi resolvido", "está resolvido", "incidente resolvido", "problema resolvido", "foi normalizado", "serviço restabelecido", // Portuguese
		"è stato risolto", "problema risolto", "risolto il problema", "servizio ripristinato", // Italian
		"is opgelost", "zijn opgelost", "storing opgelost", "probleem opgelost", "is verholpen", // Dutch
		"został rozwiązany", "usunięto awarię", "awaria usunięta", // Polish
		"復旧しました", "復旧いたしました", "復旧済", "解消しました", "解消いたしました", "解決しました", // Japanese
		"已恢复", "已恢復", "已解决", "已解決", "已修复", "已修復", "恢复正常", "恢復正常", // Chinese
		"복구되었습니다", "복구 완료", "해결되었습니다", // Korean
		"восстановлена", "восстановлен", "устранена", "устранён", "устранен", "проблема решена", // Russian
	}, []string{"noch nicht", "nicht behoben", "sobald", "pas encore", "n'est pas résolu", "aún no", "todavía no", "ainda não", "non è stato", "non ancora", "nog niet", "jeszcze nie", "尚未", "未恢复", "未解决", "まだ", "아직", "ещё не", "еще не"}},
	{downwind.Monitoring, []string{
		"wir beobachten", "beobachten die", "überwachen", "surveillons", "sous surveillance", "monitoreando", "supervisando", "monitorando", "stiamo monitorando",
		"wordt gemonitord", "houden in de gaten", "monitorujemy", "経過観察", "監視して", "持续观察", "观察中", "모니터링", "наблюдаем",
	}, nil},
	{downwind.Identified, []string{
		"ursache gefunden", "ursache identifiziert", "ursache wurde", "cause identifiée", "cause a été identifiée", "avons identifié", "causa identificada", "hemos identificado", "identificamos a causa",
		"abbiamo identificato", "causa individuata", "oorzaak gevonden", "oorzaak is", "zidentyfikowaliśmy", "原因を特定", "已定位", "已确认原因", "원인을 확인", "причина найдена", "причина установлена",
	}, nil},
	{downwind.Investigating, []string{
		"wir untersuchen", "wird untersucht", "untersuchen das", "wir prüfen", "wir analysieren", "enquêtons", "investiguons", "en cours d'analyse", "en cours d’analyse", "cours d'investigation",
		"estamos investigando", "investigando", "indagando", "stiamo verificando", "onderzoeken", "badamy", "調査中", "調査して", "正在调查", "正在排查", "调查中", "排查中", "조사 중", "확인 중", "расследуем", "выясняем",
	}, nil},
}

// foreignState reads a state out of text in another language, "" where it tells none.
func foreignState(text string) downwind.Phase {
	low := strings.ToLower(text)
	for _, s := range foreignStates {
		if containsAny(low, s.phrases) && !containsAny(low, s.but) {
			return s.phase
		}
	}
	return ""
}

// foreignPlans are how titles name planned work in other languages.
var foreignPlans = []string{
	"geplante wartung", "wartungsarbeiten", "wartungsfenster", "maintenance planifiée", "maintenance programmée", "mantenimiento programado", "mantenimiento planificado",
	"manutenção programada", "manutenção agendada", "manutenzione programmata", "gepland onderhoud", "planowane prace", "計画メンテナンス", "メンテナンスのお知らせ", "定期メンテナンス",
	"计划维护", "维护公告", "例行维护", "예정된 점검", "정기 점검", "плановые работы",
}

func foreignPlan(title string) bool {
	return containsAny(strings.ToLower(title[:min(len(title), 500)]), foreignPlans)
}

func containsAny(s string, phrases []string) bool {
	for _, p := range phrases {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

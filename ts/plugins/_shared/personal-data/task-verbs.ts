// Verbs of tasks in German, French, Spanish, Italian, Portuguese and Dutch: how people speak to a model, at the beginning of a sentence.

/** An object behind verbs that are nouns as well, or that letters begin with: "Plane mir eine Reise", "Suche alle Fehler". */
const object =
  " (?:(?:mir|uns|bitte|mal|doch|mich|dir|nach|aus|daraus|ob|alle[ns]?|die|den|das|dem|der|diese[nmrs]?|eine?[nmrs]?|meine?[nmrs]?|folgende[nmrs]?|zwei|drei|vier|fünf|zehn|\\d+))"

const german = [
  "(?:analysier|beantwort|begründ|berechn|beschreib|beurteil|bewert|charakterisier|definier|diskutier|entwickl|erklär|ermittl|erläuter|erstell|erzeug|erzähl|extrahier|formatier|formulier|generier|glieder|identifizier|implementier|interpretier|kategorisier|klassifizier|kommentier|komponier|konvertier|korrigier|lektorier|modellier|optimier|paraphrasier|programmier|recherchier|refaktorier|schreib|simulier|skizzier|sortier|strukturier|transkribier|überarbeit|übersetz|überset|umschreib|untersuch|verallgemeiner|verbesser|verfass|vereinfach|vergleich|vervollständig|visualisier|zitier)(?:e|en sie)?",
  "(?:fass|fasse|gib|nenn|nenne|liste|prüf|prüfe|zeig|zeige|zähl|zähle|löse|kürze|ergänze|ändere|ersetze|entferne|markiere|wandle|ordne|antworte|entwirf|empfiehl|hilf mir|sag mir|sage mir|stell dir vor|du bist|sie sind ein|agiere als|verhalte dich|nimm an|zeichne|übertrage|drehe)",
  "(?:fassen|geben|lesen|nennen|listen|prüfen|zeigen|lösen|kürzen|ergänzen|ändern|ersetzen|entfernen|wandeln|ordnen|antworten|entwerfen|empfehlen|machen|bauen|planen|suchen|finden|stellen) sie",
  `(?:lies|plane|plan|bau|baue|mach|mache|such|suche|find|finde|stell|stelle|setz|setze|füg|füge|lösch|lösche|test|teste|wähl|wähle|nutz|nutze|verwende|rate|dicht|dichte|male|rechne|verteile|teile|denk|denke|schlag|schlage|mische|bring|bringe)${object}`,
  "(?:kannst|könntest|würdest) du(?: mir| uns| bitte)?|(?:können|könnten|würden) sie(?: mir| uns| bitte)?",
]
const french = [
  "(?:ajoute|améliore|analyse|calcule|cherche|commente|compare|compose|corrige|crée|décompose|démontre|dessine|développe|donne|élabore|énumère|évalue|explique|extrapole|formate|formule|identifie|illustre|imagine|implémente|indique|invente|justifie|liste|modifie|nomme|optimise|paraphrase|planifie|prépare|propose|raconte|recommande|rédige|reformule|remplace|résume|simplifie|simule|suggère|supprime|trie|trouve|transforme|vérifie|cite)[rz]?(?:-moi)?",
  "génér(?:e|er|ez)(?:-moi)?|gén[èe]re(?:-moi)?|complét(?:er|ez)|complète|décri(?:s|re|vez)(?:-moi)?|écri(?:s|re|vez)(?:-moi)?|tradui(?:s|re|sez)(?:-moi)?|fai(?:s|tes)(?:-moi)?|convertis(?:sez)?|raccourcis(?:sez)?|définis(?:sez)?|établis(?:sez)?|réponds|répondez|résous|résolvez|conçois|concevez|extrais|extrayez|dis-moi|dites-moi|aide[rz]?-moi|tu es|vous êtes un|agis comme|joue le rôle",
  "(?:peux|pourrais)-tu|tu (?:peux|pourrais)|(?:pouvez|pourriez)-vous|programme[rz]? (?:moi|une?|le|la)|compte[rz]? (?:les?|combien)|classe[rz]? (?:les|ces)|fai(?:re|s) une?",
]
const spanish = [
  "(?:acorta|agrega|analiza|añade|argumenta|busca|calcula|cambia|clasifica|compara|completa|convierte|corrige|crea|define|desarrolla|describe|dibuja|diseña|elabora|elimina|encuentra|enumera|escribe|evalúa|explica|extrae|formatea|genera|identifica|imagina|implementa|inventa|investiga|mejora|modifica|muestra|ordena|planifica|prepara|propón|recomienda|redacta|reemplaza|reescribe|reformula|resume|resuelve|simplifica|sugiere|traduce|transforma|compón|haz|responde)(?:me)?",
  "dame|dime|cuéntame|ayúdame|escríbeme|explícame|hazme|créame|búscame|muéstrame|recomiéndame|(?:puedes|podrías|puede usted)|eres un|eres una|actúa como|programa (?:una?|el|la)|lista (?:los|las|cinco|diez|tres)",
]
const italian = [
  "(?:accorcia|aggiungi|analizza|calcola|cambia|cerca|classifica|completa|componi|confronta|consiglia|converti|correggi|crea|descrivi|disegna|elabora|elenca|estrai|formatta|genera|identifica|immagina|implementa|inventa|migliora|modifica|mostra|ordina|pianifica|prepara|progetta|proponi|racconta|redigi|riassumi|riformula|riscrivi|risolvi|rispondi|scrivi|semplifica|sostituisci|spiega|suggerisci|sviluppa|traduci|trasforma|trova|valuta)(?:mi)?",
  "dammi|dimmi|fammi|fai una?|aiutami|puoi|potresti|agisci come|sei una?|definisci",
]
const portuguese = [
  "(?:adicione|analise|avalie|calcule|classifique|compare|converta|corrija|crie|cria|defina|desenhe|desenvolva|descreva|elabore|encontre|encurte|escreva|escreve|explique|extraia|faça|gere|identifique|imagine|implemente|invente|liste|melhore|modifique|mostre|ordene|planeje|procure|projete|proponha|recomende|redija|reescreva|reformule|resolva|responda|resuma|simplifique|substitua|sugira|traduza|transforme)(?:-me)?",
  "(?:dê|dá|faz|diga|diz|conte|explica|ajude|ajuda)-me|me (?:dê|diga|ajude|explique|conte|faça|mostre)|(?:você )?(?:pode|poderia) (?:me |escrever|criar|fazer|explicar|gerar)|aja como|você é uma?",
]
const dutch = [
  "(?:analyseer|beantwoord|bedenk|beoordeel|bereken|beschrijf|classificeer|controleer|corrigeer|definieer|geef|genereer|herformuleer|herschrijf|identificeer|implementeer|maak|noem|ontwerp|ontwikkel|programmeer|schrijf|sorteer|verander|verbeter|vereenvoudig|vergelijk|verklaar|vertaal|vertel|vervang|verwijder|verzin|wijzig|bouw|zoek)",
  "(?:leg|vat|vul|voeg|stel|zet|haal|laat|toon|los|plan|kort|teken) (?:me|mij|dit|deze|het|de|een|alle|uit)|kun je|kunt u|kan je|zou je|help me|je bent een",
]

const verbs = [german, french, spanish, italian, portuguese, dutch].flat().join("|")
const polite =
  "(?:(?:bitte|por favor|per favore|alsjeblieft|und|dann|nun|jetzt|danach|stp|svp|s['’]il (?:te|vous) pla[iî]t|puis|ensuite|et|ahora|luego|y|ora|poi|e|agora|depois|nu|en|graag)[\\s,:]+){0,2}"

/** At the beginning of a sentence or a line. */
export const otherTask: RegExp = new RegExp(
  `(?:^|[\\n.!?:;"“”„«»)*#>-]\\s*)[¿¡]?${polite}(?:${verbs})(?![\\p{L}\\p{N}])`,
  "iu",
)

/** Words of questions, at the beginning of a text alone. */
export const otherBeginning: RegExp =
  /^[^\p{L}\p{N}]*(?:wer|was|warum|wieso|weshalb|wann|wo|woher|welche[nmrs]?|wie (?:viel|viele|lange|oft|hoch|groß|alt|weit|kann|könnte|soll|funktioniert|heißt|ist|war|wird|schreibt?|macht?|geht|baut?)|qui (?:est|était|a|sont)|qu['’](?:est|a)|que (?:sont|signifie|faut|significa|es|son)|quel(?:le)?s?|pourquoi|comment|combien|quién(?:es)?|qué|cómo|dónde|cuándo|cuál(?:es)?|cuánt[oa]s?|por qué|chi|che cos['’]?a?|perché|quant[oiae]|qual[ei]?|quem|quais|onde|o que|hoe|wat|waarom|wanneer|welke?)(?![\p{L}\p{N}])/iu

// Who somebody is to the writer, in German, French, Spanish, Italian, Portuguese and Dutch, as `dealt-with.ts` has it in English: "meinen
// Mitarbeiter", "mon employé", what belongs to somebody, and papers that people write about those whom they know.

interface Language {
  /** In front of a relation. */
  readonly ours: string
  readonly relations: string
  /** Relations that need nothing in front of them. */
  readonly alone: string
  /** What somebody has, and papers about somebody, with the word that joins a name to them. */
  readonly belongings: string
  readonly of: string
  readonly papers: string
  readonly about: string
  /** How letters begin, and how people give their names. */
  readonly greetings: string
  readonly introduces: string
  /** Behind a name. */
  readonly says: string
}

const german: Language = {
  ours: "mein(?:e[mnrs]?)?|unser(?:e[mnrs]?)?|unsre[mnrs]?",
  relations: [
    "(?:mitarbeiter|kolleg|arbeitskolleg|chef|vermieter|mieter|untermieter|nachmieter|patient|klient|mandant|schüler|student|lehrer|klassenlehrer|nachbar|freund|partner|lebenspartner|ehepartner|praktikant|assistent|sekretär|bewerber|kandidat|therapeut|trainer|betreuer|pfleger|mitbewohner|teamleiter|abteilungsleiter|gruppenleiter|projektleiter|geschäftsführer|verlobt|lieferant|handwerker|cousin|enkel|steuerberater|physiotherapeut|masseur|friseur|putzhilf|babysitter|vorgesetzt|angestellt|beschäftigt|auszubildend|azubi|bekannt|werkstudent|doktorand|dozent|professor|ansprechpartner|kund|käufer|verkäufer|schuldner|gläubiger|hausmeister|spieler|aushilf|arbeitnehmer|arbeitgeber|zeug|gegner)(?:in|e[nrms]?|n|s|innen)?",
    "(?:ex-?|schwieger|stief|groß|halb|ur|pflege|adoptiv)?-?(?:mann|frau|freundin|freund|sohn|sohnes|tochter|bruder|bruders|schwester|mutter|vater|vaters|eltern|kind|kindes|kinder)|oma|opa|mama|papa|tante|onkel|neffen?|nichte|cousine|schwager|schwägerin|gatte[n]?|gattin|ehemann|ehefrau|(?:haus|zahn|frauen|kinder)?(?:arzt|ärztin)|(?:rechts)?(?:anwalt|anwältin)|gast|mitglied|teammitglied|sachbearbeiter(?:in)?|tagesmutter|putzfrau|azubi",
  ].join("|"),
  alone:
    "patient(?:in|en)?|mandant(?:in|en)?|klient(?:in|en)?|mieter(?:in|s)?|bewerber(?:in|s)?|kund(?:e|in|en)|mitarbeiter(?:in|s)?|schüler(?:in|s)?|versicherte[rn]?|angeklagte[rn]?|auszubildende[rn]?|kolleg(?:e|in|en)",
  belongings:
    "gehalt|lohn|diagnose|befund|befunde|adresse|anschrift|privatadresse|telefonnummer|handynummer|passwort|kontonummer|arbeitsvertrag|mietvertrag|gehaltsabrechnung|lohnabrechnung|krankmeldung|krankenakte|patientenakte|personalakte|krankheit|krankenversicherung|kündigung|abmahnung|bewerbung|lebenslauf|arbeitszeugnis|rezept|blutwerte|mietrückstand|mietrückstände|schulden|fehlzeiten",
  of: "von|des|der|vom",
  papers:
    "abmahnung|kündigung|kündigungsschreiben|arbeitszeugnis|zwischenzeugnis|zeugnis|empfehlungsschreiben|referenzschreiben|mahnung|überweisung|arztbrief|entlassungsbrief|attest|krankmeldung|kondolenzschreiben|kondolenzbrief|absage|arbeitsvertrag|mietvertrag|gehaltsabrechnung|lohnabrechnung|beurteilung|leistungsbeurteilung|mitarbeitergespräch|therapieplan|pflegeplan|förderplan|räumungsklage|mieterhöhung|aufhebungsvertrag|jobangebot|gutachten",
  about: "für|an|über|gegen|mit",
  greetings:
    "hallo|hi|hey|liebe[rs]?|guten (?:tag|morgen|abend)|sehr geehrte[rs]?|servus|moin|grüß (?:dich|gott)|danke",
  introduces:
    "mein (?:voll(?:ständig)?er )?name(?: ist|:|,)|ich hei(?:ß|ss)e|ich bin|hier (?:ist|spricht)|gezeichnet|gez\\.",
  says: " (?:(?:ist|war|wird|bleibt) (?:seit [^.!?\\n]{1,30} |derzeit |aktuell |noch |wieder |heute )?(?:krank|krankgeschrieben|in elternzeit|im mutterschutz|in kur|arbeitsunfähig|freigestellt|beurlaubt|schwanger)|hat (?:sich krankgemeldet|(?:fristlos )?gekündigt|die kündigung)|schuldet (?:uns|mir)|arbeitet (?:bei|für|mit) (?:uns|mir)|wohnt (?:bei|neben|über|unter) (?:uns|mir)|mietet (?:von|bei) (?:uns|mir)|(?:ist|war) (?:mein|unser))(?!\\p{L})|,? (?:mein|unser)e?[rmn]? ",
}
const french: Language = {
  ours: "mon|ma|mes|notre|nos",
  relations: [
    "employée?s?|salariée?s?|collaborat(?:eur|rice)s?|collègues?|patronn?e?s?|cheff?e?s?|patiente?s?|locataires?|propriétaires?|bailleur|clients?|clientes?|élèves?|étudiante?s?|voisine?s?|amie?s?|copain|copine|mari|femme|épou(?:x|se)|conjointe?|compagn(?:on|e)|fils|fille|frère|sœur|soeur|mère|père|maman|papa|(?:beau|belle|grand|demi|petite?|arrière)-?(?:frère|père|fils|mère|sœur|fille|parents)|oncle|tante|cousine?|neveu|nièce",
    "stagiaires?|apprentie?s?|alternante?|assistante?s?|secrétaire|médecin|docteur|dentiste|avocate?|comptable|professeure?|prof|instit(?:uteur|utrice)|colocataire|fiancée?|candidate?s?|responsable|manageur|manager|directeur|directrice|subordonnée?|infirmi(?:er|ère)|kiné|nounou|fournisseur|débiteur|témoin|ex|bébé|enfant",
  ].join("|"),
  alone: "(?:le |la )?(?:patiente?|locataire|salariée?|assurée?|candidate?|cliente?|plaignante?|prévenue?)",
  belongings:
    "salaire|diagnostic|adresse|adresse personnelle|numéro(?: de (?:téléphone|portable|compte))?|mot de passe|contrat de travail|fiche de paie|bulletin de (?:paie|salaire)|arrêt maladie|dossier (?:médical|personnel)|ordonnance|loyer|bail|licenciement|démission|avertissement|casier judiciaire|relevé de notes",
  of: "de|d['’]|du",
  papers:
    "avertissement|licenciement|lettre (?:de licenciement|d['’]avertissement|de recommandation|de mise en demeure|de relance|de congé|de refus|de condoléances)|mise en demeure|recommandation|attestation|certificat(?: de travail| médical)?|contrat de travail|évaluation|entretien annuel|ordonnance|compte[- ]rendu médical|bulletin",
  about: "pour|à|contre|de|concernant|au sujet de",
  greetings: "bonjour|bonsoir|salut|coucou|ch(?:er|ère)|merci",
  introduces: "je m['’]appelle|mon nom(?: complet)?(?: est|,| :)|je suis|c['’]est|signé|ici",
  says: " (?:est (?:en (?:arrêt(?: maladie| de travail)?|congé (?:maternité|paternité|parental|maladie))|malade|enceinte)|a (?:démissionné|été licenciée?)|(?:me|nous) doit|travaille (?:pour|chez|avec) (?:nous|moi)|(?:est|était) (?:mon|ma|notre) )(?!\\p{L})|,? (?:mon|ma|notre) ",
}
const spanish: Language = {
  ours: "mi|mis|nuestr[oa]s?",
  relations:
    "emplead[oa]s?|trabajador(?:a|es)?|colaborador(?:a|es)?|compañer[oa]s?(?: de (?:trabajo|piso|clase))?|colegas?|jef[ea]s?|pacientes?|inquilin[oa]s?|arrendatari[oa]|caser[oa]|client[ea]s?|alumn[oa]s?|estudiantes?|vecin[oa]s?|amig[oa]s?|novi[oa]|marido|espos[oa]|mujer|hij[oa]s?|herman[oa]s?|madre|padre|mamá|papá|tí[oa]|prim[oa]|sobrin[oa]|abuel[oa]|suegr[oa]|cuñad[oa]|niet[oa]|becari[oa]|practicante|aprendi[zc]a?|asistente|secretari[oa]|médic[oa]|doctora?|dentista|abogad[oa]|profesora?|maestr[oa]|terapeuta|entrenadora?|candidat[oa]|gerente|directora?|supervisora?|proveedora?|deudora?|testigo|bebé|prometid[oa]|pareja|ex",
  alone: "(?:el |la )?(?:paciente|inquilin[oa]|emplead[oa]|trabajadora?|asegurad[oa]|candidat[oa]|cliente|acusad[oa])",
  belongings:
    "sueldo|salario|nómina|diagnóstico|historia(?:l)? (?:clínic[oa]|médic[oa])|domicilio|teléfono|número de (?:teléfono|cuenta|móvil)|contraseña|contrato (?:de trabajo|laboral|de alquiler)|baja médica|receta|alquiler|despido|expediente (?:laboral|médico|disciplinario)|currículum",
  of: "de|del",
  papers:
    "carta (?:de despido|de recomendación|de amonestación|de advertencia|de pésame|de rechazo)|amonestación|advertencia|despido|recomendación|certificado(?: médico| laboral)?|contrato (?:de trabajo|laboral|de alquiler)|evaluación(?: de desempeño)?|informe médico|parte médico|desahucio|requerimiento",
  about: "para|a|contra|de|sobre",
  greetings: "hola|buen[oa]s (?:días|tardes|noches)|estimad[oa]|querid[oa]|gracias",
  introduces: "me llamo|mi nombre(?: completo)?(?: es|,|:)|soy|firmado|le saluda",
  says: " (?:está (?:de baja(?: médica| maternal| por [\\p{L}]+)?|enferm[oa]|embarazada|de permiso)|ha (?:dimitido|renunciado|sido despedid[oa])|(?:me|nos) debe|trabaja (?:para|con) (?:nosotros|mí)|(?:es|era) (?:mi|nuestr[oa]) )(?!\\p{L})|,? (?:mi|nuestr[oa]) ",
}
const italian: Language = {
  ours: "mi[oa]|miei|mie|nostr[oaie]",
  relations:
    "dipendent[ei]|impiegat[oaie]|collaborat(?:ore|rice|ori)|collegh?[aie]|capo|pazient[ei]|inquilin[oaie]|client[ei]|alunn[oaie]|student(?:e|essa|i)|vicin[oaie](?: di casa)?|amic[oah]e?|fidanzat[oa]|ragazz[oa]|marito|moglie|figli[oa]?|fratello|sorella|madre|padre|mamma|papà|zi[oa]|cugin[oa]|nipote|nonn[oa]|suocer[oa]|cognat[oa]|stagista|tirocinante|apprendista|assistente|segretari[oa]|medico|dottore(?:ssa)?|dentista|avvocat[oa]|commercialista|professor(?:e|essa)|maestr[oa]|terapeuta|candidat[oa]|responsabile|direttore|direttrice|fornitore|debitore|testimone|compagn[oa]|coinquilin[oa]|padron[ea] di casa|ex",
  alone: "(?:il |la |l['’])?(?:paziente|inquilin[oa]|dipendente|candidat[oa]|cliente|assistit[oa]|imputat[oa])",
  belongings:
    "stipendio|diagnosi|cartella clinica|indirizzo|domicilio|numero di (?:telefono|conto)|password|contratto di (?:lavoro|affitto)|busta paga|certificato medico|ricetta|affitto|licenziamento|fascicolo personale|curriculum",
  of: "di|del|della|dell['’]",
  papers:
    "lettera di (?:licenziamento|richiamo|raccomandazione|referenze|condoglianze|diffida|rifiuto)|richiamo|licenziamento|raccomandazione|certificato(?: medico| di lavoro)?|contratto di (?:lavoro|affitto)|valutazione|referto|sfratto|diffida|referenza",
  about: "per|a|contro|di|su",
  greetings: "ciao|buongiorno|buonasera|salve|car[oa]|gentile|egregi[oa]|grazie",
  introduces: "mi chiamo|il mio nome(?: completo)?(?: è|,|:)|sono|firmato",
  says: " (?:è (?:in (?:malattia|maternità|congedo|ferie)|malat[oa]|incinta)|ha dato le dimissioni|(?:mi|ci) deve|lavora (?:per|con) (?:noi|me)|(?:è|era) (?:il|la) (?:mi[oa]|nostr[oa]) )(?!\\p{L})|,? (?:il|la) (?:mi[oa]|nostr[oa]) ",
}
const portuguese: Language = {
  ours: "meus?|minhas?|noss[oa]s?",
  relations:
    "funcionári[oa]s?|empregad[oa]s?|colaborador(?:a|es)?|colegas?|chef[ea]|pacientes?|inquilin[oa]s?|senhori[oa]|clientes?|alun[oa]s?|estudantes?|vizinh[oa]s?|amig[oa]s?|namorad[oa]|noiv[oa]|marido|espos[oa]|mulher|filh[oa]s?|irmã|irmão|mãe|pai|ti[oa]|prim[oa]|sobrinh[oa]|avó|avô|sogr[oa]|cunhad[oa]|net[oa]|estagiári[oa]|aprendiz|assistente|secretári[oa]|médic[oa]|doutora?|dentista|advogad[oa]|professora?|terapeuta|treinadora?|candidat[oa]|gerente|diretora?|supervisora?|fornecedora?|devedora?|testemunha|ex",
  alone: "(?:[oa] )?(?:paciente|inquilin[oa]|funcionári[oa]|candidat[oa]|cliente|segurad[oa]|réu|ré)",
  belongings:
    "salário|ordenado|diagnóstico|prontuário|endereço|morada|telefone|número de (?:telefone|conta)|senha|contrato de (?:trabalho|aluguel|arrendamento)|holerite|contracheque|atestado(?: médico)?|receita médica|aluguel|demissão|despedimento|currículo",
  of: "d[eoa]",
  papers:
    "carta de (?:demissão|despedimento|recomendação|advertência|condolências|recusa)|advertência|demissão|recomendação|atestado(?: médico)?|contrato de (?:trabalho|aluguel)|avaliação(?: de desempenho)?|relatório médico|despejo|notificação",
  about: "para|[aà]o?|contra|d[eoa]|sobre",
  greetings: "olá|oi|bom dia|boa (?:tarde|noite)|car[oa]|prezad[oa]|querid[oa]|obrigad[oa]",
  introduces: "meu nome(?: completo)?(?: é|,|:)|chamo-me|me chamo|(?:eu )?sou|assinado",
  says: " (?:está (?:de (?:baixa|licença|atestado)|doente|grávida)|(?:se demitiu|pediu demissão|foi demitid[oa])|(?:me|nos) deve|trabalha (?:para|com|conosco) ?(?:nós|mim)?|(?:é|era) (?:o |a )?(?:meu|minha|noss[oa]) )(?!\\p{L})|,? (?:o |a )?(?:meu|minha|noss[oa]) ",
}
const dutch: Language = {
  ours: "mijn|m['’]n|onze|ons",
  relations:
    "medewerk(?:er|ster)s?|werkneme?r|collega(?:['’]s)?|baas|chef|leidinggevende|patiënt(?:e|en)?|huurders?|verhuurder|onderhuurder|klant(?:en)?|cliënt(?:e|en)?|leerling(?:en)?|student(?:e|en)?|buurman|buurvrouw|buren|vriend(?:in|en)?|man|vrouw|echtgeno(?:ot|te)|zoon|dochter|broer|zus|zusje|broertje|moeder|vader|mama|papa|oom|tante|neef|nicht|opa|oma|kleinzoon|kleindochter|schoon(?:moeder|vader|zus|broer|zoon|dochter)|stagiaire?|assistente?|secretaresse|(?:huis|tand)?arts|advocaat|leraar|lerares|docente?|therapeut|sollicitante?|kandidaat|verloofde|partner|huisgenoot|boekhouder|trainer|oppas|leverancier|getuige|ex",
  alone: "(?:de )?(?:patiënte?|huurder|werknemer|medewerker|cliënte?|klant|sollicitant|verdachte)",
  belongings:
    "salaris|loon|diagnose|medisch dossier|personeelsdossier|adres|telefoonnummer|rekeningnummer|wachtwoord|arbeidscontract|arbeidsovereenkomst|huurcontract|loonstrook|ziekmelding|recept|huurachterstand|ontslag",
  of: "van",
  papers:
    "waarschuwing|waarschuwingsbrief|ontslagbrief|aanbevelingsbrief|referentie|getuigschrift|aanmaning|verwijsbrief|arbeidscontract|arbeidsovereenkomst|huurcontract|beoordeling|functioneringsgesprek|condoleancebrief|afwijzing|doktersverklaring",
  about: "voor|aan|over|tegen|met|van",
  greetings: "hallo|hoi|dag|beste|geachte|lieve|goede(?:morgen|middag|navond)|bedankt",
  introduces: "mijn (?:volledige )?naam(?: is|,|:)|ik heet|ik ben|getekend",
  says: " (?:is (?:ziek|ziekgemeld|zwanger|met (?:zwangerschaps|ziekte|ouderschaps)verlof)|heeft (?:zich ziekgemeld|ontslag genomen)|is (?:mijn|onze) |werkt (?:voor|bij|met) (?:ons|mij)|(?:is|was) ontslagen)(?!\\p{L})|,? (?:mijn|onze) ",
}

const title =
  "(?:(?:herrn?|frau|dr|prof|dipl\\.-ing|m|mme|mlle|madame|monsieur|maître|sr|sra|srta|señora?|don|doña|sig|sig\\.ra|signora?|dott|dott\\.ssa|dhr|mevr|mevrouw|meneer|de heer|senhora?|dona)\\.?\\s+){0,2}"

interface Patterns {
  readonly before: RegExp
  readonly after: RegExp
}

const toPatterns = ({ ours, relations, alone, belongings, of, papers, about, ...words }: Language): Patterns => ({
  before: new RegExp(
    `(?<!\\p{L})(?:${[
      `(?:${ours})\\s+(?:[\\p{L}-]+\\s+){0,2}(?:${relations})(?:[,:]|\\s+(?:namens|nommée?|appelée?|llamad[oa]|di nome|chamad[oa]|genaamd))?\\s+`,
      `(?:${alone})(?::|,)?\\s+`,
      `(?:${belongings})\\s+(?:${of})\\s*(?:${ours})?\\s*`,
      `(?:${papers})\\s+(?:[\\p{L}-]+\\s+){0,2}?(?:${about})\\s+(?:(?:${ours}|den|die|der|dem|le|la|el|il|o|a|de|het)\\s+(?:[\\p{L}-]+\\s+){0,2})?`,
      `(?:${words.introduces})\\s+`,
      `(?<=(?:^|[\\n.!?:"„“«>]\\s*)(?:${words.greetings}))[ ,]+`,
    ].join("|")})${title}$`,
    "u",
  ),
  after: new RegExp(`^(?:${words.says})`, "u"),
})

/** Made on first use, and without capitals, which would take most of the time of that. */
let patterns: readonly Patterns[] | undefined

const firstName = /(?<=\s)\p{Lu}[\p{Ll}'’-]{1,20}\s$/u

/** Whether the words before or behind a name say so. */
export function isRelated(before: string, after: string): boolean {
  patterns ??= [german, french, spanish, italian, portuguese, dutch].map(toPatterns)
  // The model often marks a surname alone.
  const beforeFirst = before.replace(firstName, "")
  const [left, right] = [before.toLowerCase(), after.toLowerCase()]
  const further = beforeFirst === before ? undefined : beforeFirst.toLowerCase()
  return patterns.some(
    (each) => each.before.test(left) || each.after.test(right) || (further !== undefined && each.before.test(further)),
  )
}

// SPDX-License-Identifier: Apache-2.0

/// A generated collection of articles with authors, comments, nulls, escapes, non-ASCII text and an
/// unmapped member.
///
/// The output is deterministic for a given count.
struct GeneratedCollection {
    private var random = SplitMix64(state: 20_240_501)
    private let authorCount: Int
    /// The document as JSON text.
    private(set) var json = ""

    init(articleCount: Int) {
        authorCount = max(10, articleCount / 10)
        json.reserveCapacity(articleCount * 1500)
        json += #"{"data":["#
        for id in 1...max(articleCount, 1) {
            if id > 1 { json += "," }
            addArticle(id)
        }
        json += #"],"meta":{"total":\#(articleCount),"page":1,"per_page":\#(articleCount)},"#
        json += #""links":{"self":"/api/articles?page=1","next":null}}"#
    }

    private mutating func addArticle(_ id: Int) {
        json += #"{"id":\#(id),"slug":"\#(word())-\#(word())-\#(id)","title":"\#(text(4..<12))","#
        json += #""body":"\#(text(20..<90))","published":\#(chance(80)),"#
        json += #""created_at":"\#(date())","updated_at":\#(optional(70) { "\"\($0.date())\"" }),"#
        json += #""price":\#(pick(0..<10_000)).\#(digits(2)),"#
        json += #""rating":\#(optional(90) { "\($0.pick(0..<5)).\($0.digits(3))" }),"#
        json += #""views":\#(pick(0..<3_000_000_000)),"#
        json += #""_links":{"self":{"href":"/api/articles/\#(id)"},"#
        json += #""comments":{"href":"/api/articles/\#(id)/comments"}},"author":\#(person()),"#
        json += #""category":"#
        json += optional(85) { #"{"id":\#($0.pick(1..<40)),"name":"\#($0.word())"}"# }
        let tags = (0..<pick(0..<7)).map { _ in "\"\(word())\"" }.joined(separator: ",")
        json += #","tags":[\#(tags)],"comments":["#
        json += (0..<pick(0..<4)).map { comment(id * 100 + $0) }.joined(separator: ",")
        json += "]}"
    }

    private mutating func comment(_ id: Int) -> String {
        #"{"id":\#(id),"author":\#(person()),"body":"\#(text(3..<25))","#
            + #""likes":\#(pick(0..<500)),"created_at":"\#(date())"}"#
    }

    private mutating func person() -> String {
        let id = pick(1..<authorCount + 1)
        let email = optional(90) { _ in "\"user\(id)@example.org\"" }
        let number = String(repeating: "0", count: 8 - "\(id)".count) + "\(id)"
        return #"{"id":\#(id),"name":"\#(word()) \#(word())","email":\#(email),"#
            + #""avatar_url":"https://img.example.org/avatars/\#(number).png?s=200","#
            + #""verified":\#(chance(30))}"#
    }

    // MARK: - Values

    private mutating func pick(_ range: Range<Int>) -> Int {
        Int.random(in: range, using: &random)
    }

    private mutating func chance(_ percent: Int) -> Bool {
        pick(0..<100) < percent
    }

    private mutating func optional(
        _ percent: Int, _ value: (inout GeneratedCollection) -> String
    ) -> String {
        chance(percent) ? value(&self) : "null"
    }

    private mutating func digits(_ count: Int) -> String {
        (0..<count).map { _ in "\(pick(0..<10))" }.joined()
    }

    private mutating func date() -> String {
        func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = "\(pick(2015..<2026))-\(twoDigits(pick(1..<13)))-\(twoDigits(pick(1..<29)))"
        let time = [24, 60, 60].map { twoDigits(pick(0..<$0)) }.joined(separator: ":")
        return "\(day)T\(time)Z"
    }

    private mutating func text(_ length: Range<Int>) -> String {
        (0..<pick(length)).map { _ in word() }.joined(separator: " ")
    }

    private mutating func word() -> String {
        let list =
            switch pick(0..<100) {
            case 0..<4: Self.foreign
            case 4..<6: Self.escaped
            default: Self.plain
            }
        return list[pick(0..<list.count)]
    }

    private static let plain = [
        "alpha", "beta", "gamma", "delta", "service", "mapping", "request", "response", "object",
        "store", "sync", "offline", "cache", "token", "page", "cursor", "network", "decimal",
    ]
    private static let foreign = [
        "café", "Zürich", "北京", "東京タワー", "привет", "مرحبا", "😀", "smörgåsbord", "한국어",
    ]
    private static let escaped = [
        #"say \"hi\""#, #"C:\\temp\\x"#, #"line one\nline two"#, #"tab\there"#, #"\u0001ctl"#,
    ]
}

/// The SplitMix64 generator of Steele, Lea and Flood, used for its fixed sequence.
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

/// Forms that plans write, compared with the forms of the documents that they write.
@Suite struct FormRequestTests {
    /// Returns the form of an object, and that of its document.
    private func forms<Subject: RequestSubject>(
        of subject: Subject, by plan: RequestPlan, in format: FormFormat = FormFormat()
    ) throws -> (direct: String, ofDocument: String) {
        let document = try plan.document(of: subject)
        return (
            String(decoding: try plan.form(of: subject, in: format), as: UTF8.self),
            try format.text(of: document)
        )
    }

    @Test(arguments: FormStyle.Lists.allCases, FormStyle.Nulls.allCases)
    func writesStylesOfFormat(lists: FormStyle.Lists, nulls: FormStyle.Nulls) throws {
        let style = FormStyle(lists: lists, booleans: .words, nulls: nulls)
        let format = FormFormat(style: style)
        let plan = try RequestPlan(RequestMapping(for: Holder<[Bool?]>.self))
        for value in [[true, nil, false], [nil], [], nil] as [[Bool?]?] {
            let forms = try forms(of: Holder(value: value), by: plan, in: format)
            #expect(forms.direct == forms.ofDocument)
        }
        let nested = try RequestPlan(RequestMapping(for: Holder<[[Int]]>.self))
        let holder = Holder<[[Int]]>(value: [[1], [2, 3]])
        guard style.allowsNestedLists else {
            let error = #expect(throws: MappingError.self) {
                try nested.form(of: holder, in: format)
            }
            #expect(error?.issue?.code == .unmappable)
            #expect(error?.path == "value[0]")
            return
        }
        let forms = try forms(of: holder, by: nested, in: format)
        #expect(forms.direct == forms.ofDocument)
    }

    @Test func writesMembersInOrderOfNames() throws {
        var mapping = RequestMapping(
            for: Citizen.self,
            ["name": "b", "isRegistered": "A", "job": "nested.z", "cities": "nested.list"])
        mapping.omitsNil = true
        let citizen = Citizen(
            name: "ü & co", job: "x", isRegistered: true, cities: [City(name: "O"), City()])
        let forms = try forms(of: citizen, by: RequestPlan(mapping))
        // The second city writes nothing: an empty object adds no parameters.
        #expect(
            forms.direct
                == "A=1&b=%C3%BC%20%26%20co&nested[list][][name]=O&nested[z]=x")
        #expect(forms.direct == forms.ofDocument)
        let rooted = try self.forms(of: citizen, by: RequestPlan(mapping, rootKey: "c[]="))
        #expect(rooted.direct.hasPrefix("c[]%3D[A]=1&c[]%3D[b]="))
        #expect(rooted.direct == rooted.ofDocument)
    }

    @Test func writesNestingAttributeAsName() throws {
        var mapping = ObjectMapping(for: Citizen.self, ["{name}.work": "job"])
        mapping.nestingAttribute = "name"
        let plan = try RequestPlan(mapping.inverse())
        for name in ["blake", "a \"b\" [c]", "ü"] {
            let forms = try forms(of: Citizen(name: name, job: "Hacker"), by: plan)
            #expect(forms.direct == forms.ofDocument)
            #expect(forms.direct.hasSuffix("[work]=Hacker"))
        }
    }

    @Test func writesValuesOfAllKinds() throws {
        func check<Value: MappableValue>(_ value: Value?, _ expected: String) throws {
            let plan = try RequestPlan(RequestMapping(for: Holder<Value>.self))
            let forms = try forms(of: Holder(value: value), by: plan)
            #expect(forms.direct == expected)
            #expect(forms.direct == forms.ofDocument)
        }
        try check(Int?.none, "value")
        try check("", "value=")
        try check(-7, "value=-7")
        try check(UInt64.max, "value=18446744073709551615")
        try check(1e300, "value=1e%2B300")
        try check(Float(0.1), "value=0.1")
        try check(true, "value=1")
        try check(Decimal(string: "12.50"), "value=12.5")
        try check(Date(timeIntervalSince1970: 0), "value=1970-01-01T00%3A00%3A00Z")
        try check([[1, 2], []], "value[][]=1&value[][]=2")
        try check([Int?.none, 3], "value[]&value[]=3")
        try check(["b": 1, "A": 2], "value[A]=2&value[b]=1")
        try check([String](), "")
        let document: Document = ["x": [nil, ["B": 1, "a": "é"]], "x2": [:], "": nil, "B": false]
        try check(document, "value[]&value[B]=0&value[x][]&value[x][][a]=%C3%A9&value[x][][B]=1")
    }

    @Test(arguments: 0..<400) func equalsFormOfDocument(seed: Int) throws {
        var random = Splitter(state: UInt64(seed))
        let texts = ["", "a b", "ü", "x&y=z", "[k]", "+%", "null", "日本\u{0}\n"]
        let paths = [
            "name", "Name", "b.c", "b.D", "b.d.e", "é", "É", "x y&z", #"p\.q"#, #"k\[0\]"#, "a",
            "A",
        ].shuffled(using: &random)
        let properties = [
            "name", "job", "isRegistered", "birthday", "worth", "home", "cities", "spot",
            "homepage", "friend",
        ].shuffled(using: &random)
        let count = Int.random(in: 0...properties.count, using: &random)
        var mapping = RequestMapping(for: Citizen.self, [:])
        for (property, path) in zip(properties, paths).prefix(count) {
            mapping.add(property, to: try SourcePath(parsing: path))
        }
        mapping.omitsNil = Bool.random(using: &random)
        func text() -> String { texts.randomElement(using: &random) ?? "" }
        var citizen = Citizen(name: text(), isRegistered: Bool.random(using: &random))
        if Bool.random(using: &random) { citizen.job = text() }
        if Bool.random(using: &random) { citizen.birthday = Date(timeIntervalSince1970: 1.5) }
        if Bool.random(using: &random) { citizen.worth = Decimal(string: "-1234567890.125") }
        if Bool.random(using: &random) { citizen.home = City(name: text()) }
        citizen.cities = (0..<Int.random(in: 0...3, using: &random)).map { _ in City(name: text()) }
        if Bool.random(using: &random) { citizen.spot = Spot(latitude: 1e21, longitude: -0.5) }
        if Bool.random(using: &random) { citizen.homepage = .null }
        if Bool.random(using: &random) {
            citizen.friend = Companion(name: text(), friend: Companion(name: "z", weight: 2))
        }
        let rootKey = Bool.random(using: &random) ? nil : paths[0]
        let plan = try RequestPlan(mapping, rootKey: rootKey)
        for lists in [FormStyle.Lists.brackets, .indices] {
            for nulls in FormStyle.Nulls.allCases {
                let style = FormStyle(lists: lists, booleans: .words, nulls: nulls)
                let forms = try forms(of: citizen, by: plan, in: FormFormat(style: style))
                #expect(forms.direct == forms.ofDocument)
            }
        }
    }

    @Test(.threat("T01")) func refusesDeepNesting() throws {
        var chain = Companion(name: "end")
        for _ in 0..<40 { chain = Companion(name: "a", friend: chain) }
        let plan = try RequestPlan(Companion.self)
        let error = #expect(throws: MappingError.self) { try plan.form(of: chain) }
        #expect(error?.issue?.code == .depthExceeded)
        #expect(error?.path.components.count == 32)
        #expect(throws: DocumentError.self) { try FormFormat().text(of: plan.document(of: chain)) }
        let deep = FormFormat(maximumDepth: 41)
        #expect(try plan.form(of: chain, in: deep) == deep.write(plan.document(of: chain)))
        let document = Document.array([.array([.array([1])])])
        let holder = Holder(value: document)
        let nested = try RequestPlan(RequestMapping(for: Holder<Document>.self))
        #expect(throws: MappingError.self) {
            try nested.form(of: holder, in: FormFormat(maximumDepth: 3))
        }
        #expect(try nested.form(of: holder, in: FormFormat(maximumDepth: 4)).count > 0)
    }
}

/// A generator of the same random numbers in every run.
///
/// - Source: SplitMix64.
private struct Splitter: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestDocument
import TestSupport
import Testing

@Suite(.tags(.specification)) struct FormWriterTests {
    private let form = FormFormat()

    @Test(.parity("N162")) func encodesSpacesAndPunctuation() throws {
        #expect(
            try form.text(of: ["utf8": "¡No ser niño, ser búfalo…!"])
                == "utf8=%C2%A1No%20ser%20ni%C3%B1o%2C%20ser%20b%C3%BAfalo%E2%80%A6%21")
    }

    @Test(.parity("N163")) func encodesURLAsValue() throws {
        let url =
            #"http://some.server.com/path/action?subject="That thing I sent"&email="me@me.com""#
        #expect(
            try form.text(of: ["url": .string(url)])
                == "url=http%3A%2F%2Fsome.server.com%2Fpath%2Faction%3Fsubject%3D%22That%20thing"
                + "%20I%20sent%22%26email%3D%22me%40me.com%22")
    }

    @Test(.parity("N164")) func addsBracketsForArrays() throws {
        #expect(
            try form.text(of: ["anArray": ["item1", "item2"]])
                == "anArray[]=item1&anArray[]=item2")
    }

    @Test(.parity("N165")) func writesNestedNamesInBrackets() throws {
        #expect(
            try form.text(of: ["aDictionary": ["key1": "value1"]]) == "aDictionary[key1]=value1")
    }

    @Test(.parity("N166")) func writesArraysOfObjects() throws {
        #expect(
            try form.text(of: ["root": [["a": "x", "b": "y"], ["a": 1, "b": 2]]])
                == "root[][a]=x&root[][b]=y&root[][a]=1&root[][b]=2")
    }

    @Test(.parity("N167")) func writesNestedArrays() throws {
        #expect(
            try form.text(of: ["recursiveArray": [[["item1"], ["item2"]]]])
                == "recursiveArray[][][]=item1&recursiveArray[][][]=item2")
    }

    private static let sample: Document = [
        "l": [1, nil, "x,y"], "o": ["k": [true, false]], "n": nil, "e": [], "nn": [nil],
    ]

    @Test(arguments: [
        (FormStyle(), "l[]=1&l[]&l[]=x%2Cy&n&nn[]&o[k][]=1&o[k][]=0"),
        (FormStyle(lists: .indices), "l[0]=1&l[1]&l[2]=x%2Cy&n&nn[0]&o[k][0]=1&o[k][1]=0"),
        (FormStyle(lists: .repeated), "l=1&l&l=x%2Cy&n&nn&o[k]=1&o[k]=0"),
        (FormStyle(lists: .commas), "l=1,,x%2Cy&n&nn=&o[k]=1,0"),
        (
            FormStyle(lists: .indices, booleans: .words, nulls: .omitted),
            "l[0]=1&l[1]=x%2Cy&o[k][0]=true&o[k][1]=false"
        ),
        (FormStyle(lists: .commas, nulls: .omitted), "l=1,x%2Cy&o[k]=1,0"),
        (FormStyle(lists: .repeated, nulls: .empty), "l=1&l=&l=x%2Cy&n=&nn=&o[k]=1&o[k]=0"),
    ])
    func writesStyles(style: FormStyle, expected: String) throws {
        #expect(try FormFormat(style: style).text(of: Self.sample) == expected)
    }

    @Test func omittedNullReplacesEarlierMember() throws {
        let document = try Document(parsing: #"{"a":1,"B":2,"a":null}"#)
        let omitting = FormFormat(style: FormStyle(nulls: .omitted))
        #expect(try omitting.text(of: document) == "B=2")
        #expect(try omitting.text(of: ["a": nil]) == "")
    }

    @Test(arguments: FormStyle.Lists.allCases)
    func plainListsRefuseContainers(lists: FormStyle.Lists) throws {
        let form = FormFormat(style: FormStyle(lists: lists))
        let objects: Document = ["a": ["b": [1, ["k": 2]]]]
        let nested: Document = ["a": [[1]]]
        switch lists {
        case .brackets:
            #expect(try form.text(of: objects) == "a[b][]=1&a[b][][k]=2")
            #expect(try form.text(of: nested) == "a[][]=1")
        case .indices:
            #expect(try form.text(of: objects) == "a[b][0]=1&a[b][1][k]=2")
            #expect(try form.text(of: nested) == "a[0][0]=1")
        case .repeated, .commas:
            for (document, path) in [(objects, "a.b[1]"), (nested, "a[0]")] {
                let error = #expect(throws: DocumentError.self) { try form.text(of: document) }
                #expect(error?.code == .unwritableValue)
                #expect(error?.path.description == path)
            }
        }
    }

    @Test func sortsNamesCaseInsensitively() throws {
        #expect(
            try form.text(of: ["b": 1, "A": true, "c": nil, "B": 1.5, "d": "", "a": false])
                == "A=1&a=0&b=1&B=1.5&c&d=")
        #expect(
            try form.text(of: ["x": ["b": 1, "A": [["D": 2, "c": 3]]], "É": 1, "é": 2, "e": 3])
                == "e=3&x[A][][c]=3&x[A][][D]=2&x[b]=1&%C3%89=1&%C3%A9=2")
    }

    @Test func usesLastOfRepeatedKeys() throws {
        let document = try Document(
            parsing: #"{"b": 1, "a": {"x": 1, "x": 2}, "\u0062": 3, "A": 4}"#)
        #expect(try form.text(of: document) == "a[x]=2&A=4&b=3")
    }

    @Test(arguments: [
        "12345678901234567890123456789", "-0.0", "1E+400", "1.10", "0.1e-7", "18446744073709551615",
    ])
    func preservesTextOfNumbers(text: String) throws {
        let document = try Document(parsing: "{\"n\": \(text)}")
        let expected = text.replacing("+", with: "%2B")
        #expect(try form.text(of: document) == "n=\(expected)")
    }

    @Test func encodesAllExceptUnreservedBytes() throws {
        let ascii = String(String.UnicodeScalarView((0..<128).compactMap { Unicode.Scalar($0) }))
        let text = try form.text(of: .object([(ascii, .string(ascii))]))
        let sides = text.split(separator: "=")
        #expect(sides.count == 2)
        let unreserved =
            "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"
        #expect(unescaped(sides[1]) == unreserved)
        #expect(unescaped(sides[0]) == unreserved.replacing("_", with: "[]_"))
        #expect(text.hasPrefix("%00%01") && sides[1].hasPrefix("%00%01") && text.hasSuffix("~%7F"))
    }

    @Test func omitsEmptyContainers() throws {
        #expect(try form.text(of: [:]).isEmpty)
        #expect(try form.text(of: ["a": [:], "b": [], "c": [[], [:]], "d": 1]) == "d=1")
    }

    @Test func writesEmptyNames() throws {
        #expect(try form.text(of: ["": nil, "a": 1, "b": ["": 2]]) == "=&a=1&b[]=2")
    }

    @Test(arguments: [
        ("[]", "array"), ("1", "number"), ("null", "null"), ("\"s\"", "string"),
        ("true", "boolean"),
    ])
    func rejectsNonobjects(text: String, kind: String) throws {
        let document = try Document(parsing: text)
        let error = #expect(throws: DocumentError.self) { try form.write(document) }
        #expect(error?.code == .unwritableValue)
        #expect(error?.path == .root)
        #expect(error?.expected == "an object, found \(kind)")
    }

    @Test func locatesContainerBeyondDepthLimit() throws {
        let form = FormFormat(maximumDepth: 3)
        #expect(try form.text(of: ["a": [["x"]], "b": 1]).isEmpty == false)
        let error = #expect(throws: DocumentError.self) {
            try form.write(["a": 1, "b": [0, ["c": "secret", "d": [:]]]])
        }
        #expect(error?.code == .limitExceeded)
        #expect(error?.path.description == "b[1].d")
        #expect(error?.description.contains("secret") == false)
        #expect(throws: DocumentError.self) { try FormFormat(maximumDepth: 0).write([:]) }
    }

    @Test func writesDeepDocumentsWithoutRecursion() throws {
        let depth = 100_000
        let text =
            #"{"a":"# + String(repeating: "[", count: depth) + "1"
            + String(repeating: "]", count: depth) + "}"
        let document = try Document(parsing: text, limits: .none)
        let written = try FormFormat(maximumDepth: .max).write(document)
        #expect(written.count == 1 + 2 * depth + 2)
        #expect(throws: DocumentError.self) { try form.write(document) }
    }

    private func unescaped(_ text: Substring) -> String {
        String(text.replacing(/%[0-9A-F]{2}/, with: ""))
    }
}

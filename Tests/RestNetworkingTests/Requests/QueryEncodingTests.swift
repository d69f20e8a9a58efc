// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import RestNetworking

@Suite struct QueryEncodingTests {
    @Test(.parity("N162")) func encodesSpacesAndPunctuation() throws {
        #expect(
            try QueryEncoding.query(["utf8": "¡No ser niño, ser búfalo…!"])
                == "utf8=%C2%A1No%20ser%20ni%C3%B1o%2C%20ser%20b%C3%BAfalo%E2%80%A6%21")
    }

    @Test(.parity("N163")) func encodesAURLAsAValue() throws {
        let url =
            #"http://some.server.com/path/action?subject="That thing I sent"&email="me@me.com""#
        #expect(
            try QueryEncoding.query(["url": .string(url)])
                == "url=http%3A%2F%2Fsome.server.com%2Fpath%2Faction%3Fsubject%3D%22That%20thing"
                + "%20I%20sent%22%26email%3D%22me%40me.com%22")
    }

    @Test(.parity("N164")) func addsBracketsForLists() throws {
        #expect(
            try QueryEncoding.query(["anArray": ["item1", "item2"]])
                == "anArray[]=item1&anArray[]=item2")
    }

    @Test(.parity("N165")) func namesNestedValuesInBrackets() throws {
        #expect(
            try QueryEncoding.query(["aDictionary": ["key1": "value1"]])
                == "aDictionary[key1]=value1")
    }

    @Test(.parity("N166")) func writesListsOfNamedValues() throws {
        #expect(
            try QueryEncoding.query(["root": [["a": "x", "b": "y"], ["a": 1, "b": 2]]])
                == "root[][a]=x&root[][b]=y&root[][a]=1&root[][b]=2")
    }

    @Test(.parity("N167")) func writesListsInLists() throws {
        #expect(
            try QueryEncoding.query(["recursiveArray": [[["item1"], ["item2"]]]])
                == "recursiveArray[][][]=item1&recursiveArray[][][]=item2")
    }

    @Test func sortsNamesWithoutRegardToCase() throws {
        #expect(
            try QueryEncoding.query(["b": 1, "A": true, "c": nil, "B": 1.5, "d": ""])
                == "A=1&b=1&B=1.5&c&d=")
    }

    @Test(arguments: [
        ("a", "a?x=1"), ("a?", "a?x=1"), ("a?y=2", "a?y=2&x=1"), ("a?y=2&", "a?y=2&x=1"),
    ])
    func addsToAQuery(path: String, expected: String) throws {
        #expect(try QueryEncoding.path(path, adding: ["x": 1]) == expected)
        #expect(try QueryEncoding.path(path, adding: [:]) == path)
        #expect(try QueryEncoding.path(path, adding: ["x": []]) == path)
    }

    @Test func bracketsSurviveInNamesAndNothingElseDoes() throws {
        #expect(
            try QueryEncoding.query(["a[b]&=+;": "&=+;%"]) == "a[b]%26%3D%2B%3B=%26%3D%2B%3B%25")
    }

    @Test func refusesWhatIsTooDeepOrNoNumber() {
        var value: RequestParameters.Value = 1
        for _ in 0...QueryEncoding.maximumDepth { value = [value] }
        #expect(
            code {
                try QueryEncoding.query(["a": value])
            } == .invalidRequest)
        #expect(
            code {
                try QueryEncoding.query(["a": .double(.infinity)])
            } == .invalidRequest)
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestDocument
import Testing

@Suite struct NodeEqualityTests {
    @Test(
        arguments: [
            ("null", " null "), ("1", "1.0"), ("1", "10e-1"), ("0", "-0"), ("0", "0e5"),
            ("100", "1E2"), ("-0.5", "-5e-1"), ("1e400", "10e399"), ("0.10", "0.1"),
            ("9223372036854775808", "9.223372036854775808e18"),
            (#""a\n""#, #""\u0061\u000a""#), (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#),
            (#"{"a":1,"a":2}"#, #"{"a":2}"#), (#"{"\u0061":1}"#, #"{"a":1}"#),
            (#"[1,[],{}]"#, "[ 1, [ ], { } ]"),
            (#"{"x":[{"b":[1.0],"a":null}]}"#, #"{"x":[{"a":null,"b":[1]}]}"#),
        ])
    func equalsForSameValue(_ left: String, _ right: String) throws {
        let (left, right) = (try Document(parsing: left), try Document(parsing: right))
        #expect(left == right)
        #expect(right == left)
        #expect(left.hashValue == right.hashValue)
        #expect(Set([left, right]).count == 1)
    }

    @Test(
        arguments: [
            ("null", "false"), ("true", "false"), ("1", #""1""#), ("1", "1.0000000000000000000001"),
            ("9007199254740993", "9007199254740992.0"), ("1e400", "1e401"), ("1e400", "-1e400"),
            ("1", "-1"), (#""a""#, #""A""#), (#""é""#, #""e\u0301""#), ("[]", "{}"),
            ("[1,2]", "[2,1]"), ("[1]", "[1,1]"), (#"{"a":1}"#, #"{"a":1,"b":1}"#),
            (#"{"a":1}"#, #"{"b":1}"#), (#"{"a":[{"b":1}]}"#, #"{"a":[{"b":2}]}"#),
            (#"{"a":1,"a":2}"#, #"{"a":1}"#), ("12", "120"), ("1.2", "12"),
        ])
    func differsForOtherValue(_ left: String, _ right: String) throws {
        #expect(try Document(parsing: left) != Document(parsing: right))
    }
}

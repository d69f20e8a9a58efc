// SPDX-License-Identifier: Apache-2.0

import RestInference

extension Sample {
    /// APIs whose records differ in their shape, their identities and the types of their values.
    static let shapes: [Sample] = [
        Sample(
            "WordPress",
            [
                Response(
                    "https://example.com/wp-json/wp/v2/posts?per_page=2",
                    #"""
                    [{"id": 12, "date": "2024-01-02T10:00:00", "date_gmt": "2024-01-02T09:00:00", "slug": "b",
                      "link": "https://example.com/b", "title": {"rendered": "B"}, "author": 1, "categories": [5, 6],
                      "sticky": false},
                     {"id": 11, "date": "2024-01-01T10:00:00", "date_gmt": "2024-01-01T09:00:00", "slug": "a",
                      "link": "https://example.com/a", "title": {"rendered": "A"}, "author": 2, "categories": [5],
                      "sticky": false}]
                    """#,
                    fields: [HeaderField("X-WP-Total", "9"), HeaderField("X-WP-TotalPages", "5")]),
                Response(
                    "https://example.com/wp-json/wp/v2/users",
                    #"[{"id": 1, "name": "Ada", "slug": "ada"}, {"id": 2, "name": "Bob", "slug": "bob"}]"#
                ),
                Response(
                    "https://example.com/wp-json/wp/v2/categories",
                    #"""
                    [{"id": 5, "name": "News", "count": 8, "parent": 0}, {"id": 6, "name": "Old", "count": 1, "parent": 5}]
                    """#),
            ],
            """
            entity Post id
            entity User id
            entity Category id
            relation Post.author one User
            relation Post.categories many Category
            relation Category.parent one Category
            type Post.id integer
            type Post.date text
            type Post.date_gmt date
            type Post.slug text
            type Post.link url
            type Post.title_rendered text
            type Post.sticky boolean
            type User.id integer
            type User.name text
            type User.slug text
            type Category.id integer
            type Category.name text
            type Category.count integer
            page posts page_number page 1
            records posts $
            records users $
            records categories $
            """),
        Sample(
            "PokéAPI",
            [
                Response(
                    "https://pokeapi.co/api/v2/pokemon/1/",
                    #"""
                    {"id": 1, "name": "bulbasaur", "height": 7, "is_default": true,
                     "abilities": [{"ability": {"name": "overgrow", "url": "https://pokeapi.co/api/v2/ability/65/"},
                       "is_hidden": false, "slot": 1},
                      {"ability": {"name": "chlorophyll", "url": "https://pokeapi.co/api/v2/ability/34/"},
                       "is_hidden": true, "slot": 3}],
                     "species": {"name": "bulbasaur", "url": "https://pokeapi.co/api/v2/pokemon-species/1/"}}
                    """#)
            ],
            """
            entity Pokemon id
            entity PokemonAbility -
            entity Ability url
            entity Species url
            relation Pokemon.abilities many PokemonAbility
            relation PokemonAbility.ability one Ability
            relation Pokemon.species one Species
            type Pokemon.id integer
            type Pokemon.name text
            type Pokemon.height integer
            type Pokemon.is_default boolean
            type PokemonAbility.is_hidden boolean
            type PokemonAbility.slot integer
            type Ability.name text
            type Ability.url url
            type Species.name text
            type Species.url url
            page pokemon single_page
            records pokemon $
            """),
        Sample(
            "JSONPlaceholder",
            [
                Response(
                    "https://jsonplaceholder.typicode.com/users",
                    #"""
                    [{"id": 1, "name": "Leanne Graham", "email": "a@b.biz", "address": {"street": "Kulas Light",
                      "geo": {"lat": "-37.3159", "lng": "81.1496"}}, "company": {"name": "Romaguera", "bs": "e-markets"}},
                     {"id": 2, "name": "Ervin Howell", "email": "c@d.tv", "address": {"street": "Victor Plains",
                      "geo": {"lat": "-43.9509", "lng": "-34.4618"}}, "company": {"name": "Deckow", "bs": "supply"}}]
                    """#),
                Response(
                    "https://jsonplaceholder.typicode.com/posts",
                    #"""
                    [{"userId": 1, "id": 1, "title": "sunt aut", "body": "quia"}, {"userId": 1, "id": 2, "title": "qui est",
                      "body": "est rerum"}, {"userId": 2, "id": 3, "title": "ea molestias", "body": "et iusto"}]
                    """#),
                Response(
                    "https://jsonplaceholder.typicode.com/posts/1/comments",
                    #"""
                    [{"postId": 1, "id": 1, "name": "id labore", "email": "e@g.biz", "body": "laudantium"},
                     {"postId": 1, "id": 2, "name": "quo vero", "email": "j@s.com", "body": "est natus"}]
                    """#),
            ],
            """
            entity User id
            entity Post id
            entity Comment id
            relation Post.user one User
            relation Comment.post one Post
            type User.id integer
            type User.name text
            type User.email text
            type User.address_street text
            type User.address_geo_lat text
            type User.address_geo_lng text
            type User.company_name text
            type User.company_bs text
            type Post.id integer
            type Post.title text
            type Post.body text
            type Comment.id integer
            type Comment.name text
            type Comment.email text
            type Comment.body text
            records users $
            records posts $
            records comments $
            """),
        Sample(
            "Zendesk",
            [
                Response(
                    "https://example.zendesk.com/api/v2/tickets.json?include=users",
                    #"""
                    {"tickets": [
                      {"id": 35436, "subject": "Help", "requester_id": 20978392, "assignee_id": 235323, "tags": ["a", "b"],
                       "created_at": "2009-07-20T22:55:29Z", "satisfaction_rating": {"id": 1234, "score": "good"}},
                      {"id": 35437, "subject": "Fire", "requester_id": 20978392, "assignee_id": null, "tags": [],
                       "created_at": "2009-07-21T22:55:29Z", "satisfaction_rating": null}],
                     "users": [{"id": 20978392, "name": "Ada", "email": "a@example.com"},
                      {"id": 235323, "name": "Bob", "email": "b@example.com"}],
                     "count": 1234, "next_page": "https://example.zendesk.com/api/v2/tickets.json?page=2",
                     "previous_page": null}
                    """#)
            ],
            """
            entity Ticket id
            entity User id
            entity SatisfactionRating id
            relation Ticket.requester one User
            relation Ticket.assignee one User
            relation Ticket.satisfaction_rating one SatisfactionRating
            type Ticket.id integer
            type Ticket.subject text
            type Ticket.tags json
            type Ticket.created_at date
            type User.id integer
            type User.name text
            type User.email text
            type SatisfactionRating.id integer
            type SatisfactionRating.score text
            page tickets json_link next_page
            records tickets tickets
            """),
        Sample(
            "Jira",
            [
                Response(
                    "https://jira.example.com/rest/api/2/search?startAt=0&maxResults=2",
                    #"""
                    {"expand": "schema,names", "startAt": 0, "maxResults": 2, "total": 6, "issues": [
                     {"id": "10002", "key": "ED-1", "self": "https://jira.example.com/rest/api/2/issue/10002",
                      "fields": {"summary": "One", "status": {"id": "1", "name": "Open"}, "timespent": null,
                       "updated": "2024-01-16T10:20:30.000+0000"}},
                     {"id": "10003", "key": "ED-2", "self": "https://jira.example.com/rest/api/2/issue/10003",
                      "fields": {"summary": "Two", "status": {"id": "1", "name": "Open"}, "timespent": 60,
                       "updated": "2024-01-16T10:20:31.000+0000"}}]}
                    """#)
            ],
            """
            entity Issue id
            entity Status id
            relation Issue.status one Status
            type Issue.id text
            type Issue.key text
            type Issue.self url
            type Issue.summary text
            type Issue.timespent integer
            type Issue.updated date
            type Status.id text
            type Status.name text
            page search offset startAt 0
            records search issues
            """),
        Sample(
            "Movies by pages",
            [
                Response(
                    "https://api.example.org/3/movie/popular?page=1",
                    #"""
                    {"page": 1, "results": [
                      {"adult": false, "genre_ids": [28, 12], "id": 502356, "title": "Mario", "vote_average": 7.5,
                       "release_date": "2023-04-05"},
                      {"adult": false, "genre_ids": [28], "id": 594767, "title": "Shazam!", "vote_average": 6.8,
                       "release_date": "2023-03-15"}], "total_pages": 38029, "total_results": 760569}
                    """#)
            ],
            """
            entity Movie id
            type Movie.adult boolean
            type Movie.genre_ids json
            type Movie.id integer
            type Movie.title text
            type Movie.vote_average double
            type Movie.release_date day
            page movie page_number page 1
            records movie results
            """),
        Sample(
            "Messages with large identities",
            [
                Response(
                    "https://chat.example.com/api/v10/messages?limit=50",
                    #"""
                    [{"id": 9223372036854775809, "channel_id": "290926798999357250", "content": "Supa Hot",
                      "author": {"id": 53908099506183680, "username": "Mason", "bot": false}, "pinned": false,
                      "timestamp": "2017-07-11T17:27:07.299000+00:00", "edited_timestamp": null, "nonce": 1},
                     {"id": 9223372036854775810, "channel_id": "290926798999357250", "content": "Fire",
                      "author": {"id": 53908099506183680, "username": "Mason", "bot": false}, "pinned": true,
                      "timestamp": "2017-07-11T17:27:08.299000+00:00", "edited_timestamp": null, "nonce": "2"},
                     {"id": 9223372036854775811, "channel_id": "290926798999357250", "content": "",
                      "author": {"id": 53908232506183681, "username": "Jake", "bot": false}, "pinned": true,
                      "timestamp": "2017-07-11T17:27:09.299000+00:00", "edited_timestamp": null, "nonce": null}]
                    """#)
            ],
            """
            entity Message id
            entity Author id
            relation Message.author one Author
            type Message.id unsigned_integer
            type Message.channel_id text
            type Message.content text
            type Message.pinned boolean
            type Message.timestamp date
            type Message.edited_timestamp auto
            type Message.nonce json
            type Author.id integer
            type Author.username text
            type Author.bot boolean
            records messages $
            """),
        Sample(
            "Values that stay exact",
            [
                Response(
                    "https://api.example.com/rates",
                    #"""
                    [{"code": "a", "price": "10.50", "exact": 0.12345678901234567890, "count": 1, "ratio": 1,
                      "zip": "01234", "when": "2024-01-01", "token": "0f8fad5b-d9cb-469f-a165-70867728950e",
                      "upper": "0F8FAD5B-D9CB-469F-A165-70867728950E", "nanos": "2024-01-01T00:00:00.123456789Z",
                      "flag": true, "mixed": 1, "page": "https://a.example/x"},
                     {"code": "b", "price": "9", "exact": 2, "count": 12345678901234, "ratio": 0.5,
                      "zip": "99999", "when": "2024-01-02", "token": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
                      "upper": "7C9E6679-7425-40DE-944B-E07FC1F90AE7", "nanos": "2024-01-01T00:00:00.123456788Z",
                      "flag": false, "mixed": true, "page": "https://a.example/y z"},
                     {"code": "c", "price": "1e3", "exact": 3, "count": -1, "ratio": 1e300,
                      "zip": "00000", "when": "2024-01-03", "token": "9f8fad5b-d9cb-469f-a165-70867728950e",
                      "upper": "8F8FAD5B-D9CB-469F-A165-70867728950E", "nanos": "2024-01-01T00:00:00.123456787Z",
                      "flag": null, "mixed": "x", "page": "https://a.example/z"}]
                    """#)
            ],
            """
            entity Rate code
            type Rate.code text
            type Rate.price text
            type Rate.exact decimal
            type Rate.count integer
            type Rate.ratio double
            type Rate.zip text
            type Rate.when day
            type Rate.token uuid
            type Rate.upper text
            type Rate.nanos text
            type Rate.flag boolean
            type Rate.mixed json
            type Rate.page text
            records rates $
            """),
        Sample(
            "Orders with lines",
            [
                Response(
                    "https://api.example.com/v1/orders",
                    #"""
                    {"orders": [
                     {"order_id": 1, "customer": {"id": 7, "name": "Ada"}, "lines": [
                       {"sku": "A", "quantity": 2}, {"sku": "B", "quantity": 1}], "shipping": {"city": "Bern", "zip": "3000"}},
                     {"order_id": 2, "customer": {"id": 8, "name": "Bob"}, "lines": [{"sku": "A", "quantity": 5}],
                      "shipping": {"city": "Chur", "zip": "7000"}},
                     {"order_id": 3, "customer": {"id": 7, "name": "Ada"}, "lines": [], "shipping": null}],
                     "next_cursor": "abc"}
                    """#),
                Response(
                    "https://api.example.com/v1/orders?after=abc",
                    #"{"orders": [{"order_id": 4, "customer": {"id": 9, "name": "Eve"}, "lines": [], "shipping": null}], "next_cursor": null}"#
                ),
            ],
            """
            entity Order order_id
            entity Customer id
            entity OrderLine -
            relation Order.customer one Customer
            relation Order.lines many OrderLine
            type Order.order_id integer
            type Order.shipping_city text
            type Order.shipping_zip text
            type Customer.id integer
            type Customer.name text
            type OrderLine.sku text
            type OrderLine.quantity integer
            page orders cursor next_cursor after
            records orders orders
            """),
        Sample(
            "Coins",
            [
                Response(
                    "https://api.example.com/api/v3/coins?page=1&per_page=2",
                    #"""
                    [{"id": "bitcoin", "symbol": "btc", "current_price": 70187, "market_cap": 1381651251183,
                      "roi": null, "last_updated": "2024-04-07T16:49:31.736Z"},
                     {"id": "ethereum", "symbol": "eth", "current_price": 3500.12, "market_cap": 420000000000,
                      "roi": {"times": 45.9, "currency": "btc"}, "last_updated": "2024-04-07T16:49:31.737Z"}]
                    """#)
            ],
            """
            entity Coin id
            type Coin.id text
            type Coin.symbol text
            type Coin.current_price double
            type Coin.market_cap integer
            type Coin.roi_times double
            type Coin.roi_currency text
            type Coin.last_updated date
            page coins page_number page 1
            records coins $
            """),
        Sample(
            "Keyed records",
            [
                Response(
                    "https://api.example.com/stations",
                    #"""
                    {"8500010": {"name": "Basel", "lines": 12}, "8507000": {"name": "Bern", "lines": 14},
                     "8503000": {"name": "Zürich", "lines": 26}}
                    """#)
            ],
            """
            entity Station key
            type Station.key text
            type Station.name text
            type Station.lines integer
            records stations $
            """),
        Sample(
            "GraphQL edges",
            [
                Response(
                    "https://api.example.com/graph/films",
                    #"""
                    {"data": {"films": {"totalCount": 30, "edges": [
                      {"cursor": "a", "node": {"id": "1", "title": "A"}}, {"cursor": "b", "node": {"id": "2", "title": "B"}}],
                      "pageInfo": {"endCursor": "b", "hasNextPage": true}}}}
                    """#)
            ],
            """
            entity Film id
            type Film.id text
            type Film.title text
            page films cursor data.films.pageInfo.endCursor after
            records films data.films.edges
            """),
        Sample(
            "One object",
            [
                Response(
                    "https://api.example.com/users/42",
                    #"""
                    {"id": 42, "name": "Ada", "team": {"id": 3, "name": "Core"}, "friends": [{"id": 43, "name": "Bob",
                     "team": {"id": 3, "name": "Core"}}], "joined": "2020-02-29"}
                    """#)
            ],
            """
            entity User id
            entity Team id
            relation User.team one Team
            relation User.friends many User
            type User.id integer
            type User.name text
            type User.joined day
            type Team.id integer
            type Team.name text
            page users single_page
            records users $
            """),
        Sample(
            "Events of repositories",
            [
                Response(
                    "https://git.example.com/api/v1/repos",
                    #"""
                    {"data": [
                     {"id": "r1", "name": "one", "owner": {"id": "u1", "login": "ada", "avatar": "https://a.example/1"},
                      "events_url": "https://git.example.com/api/v1/repos/r1/events"},
                     {"id": "r2", "name": "two", "owner": {"id": "u2", "login": "bob", "avatar": "https://a.example/2"},
                      "events_url": "https://git.example.com/api/v1/repos/r2/events"}], "meta": {"total": 2}}
                    """#),
                Response(
                    "https://git.example.com/api/v1/pulls",
                    #"""
                    {"data": [
                     {"id": "p1", "repo": {"id": "r1", "name": "one"}, "assignee": {"id": "u2", "login": "bob",
                      "avatar": "https://a.example/2"}, "reviewers": [{"id": "u1", "login": "ada",
                      "avatar": "https://a.example/1"}], "merged": null},
                     {"id": "p2", "repo": {"id": "r1", "name": "one"}, "assignee": null, "reviewers": [], "merged": "2024-01-01T00:00:00Z"}],
                     "meta": {"total": 2}}
                    """#),
            ],
            """
            entity Repo id
            entity Pull id
            entity User id
            relation Repo.owner one User
            relation Pull.repo one Repo
            relation Pull.assignee one User
            relation Pull.reviewers many User
            type Repo.id text
            type Repo.name text
            type Repo.events_url url
            type Pull.id text
            type Pull.merged date
            type User.id text
            type User.login text
            type User.avatar url
            page repos single_page
            page pulls single_page
            records repos data
            records pulls data
            """),
        Sample(
            "References of equal shape",
            [
                Response(
                    "https://api.example.com/incidents?limit=2",
                    #"""
                    {"incidents": [
                     {"id": "PT4KHLK", "status": "resolved", "service": {"id": "PIJ90N7", "type": "service_reference",
                      "summary": "Mail", "html_url": "https://s.example/s/1"}, "teams": [{"id": "PQ9K7I8",
                      "type": "team_reference", "summary": "Eng", "html_url": "https://s.example/t/1"}]},
                     {"id": "PT4KHLL", "status": "open", "service": {"id": "PIJ90N7", "type": "service_reference",
                      "summary": "Mail", "html_url": "https://s.example/s/1"}, "teams": []}],
                     "limit": 2, "offset": 0, "total": null, "more": true}
                    """#)
            ],
            """
            entity Incident id
            entity Service id
            entity Team id
            relation Incident.service one Service
            relation Incident.teams many Team
            type Incident.id text
            type Incident.status text
            type Service.id text
            type Service.type text
            type Service.summary text
            type Service.html_url url
            type Team.id text
            type Team.type text
            type Team.summary text
            type Team.html_url url
            page incidents offset offset 0
            records incidents incidents
            """),
        Sample(
            "Cards of boards",
            [
                Response(
                    "https://api.example.com/1/boards/x/cards",
                    #"""
                    [{"id": "5abbe4b7ddc1b351ef961414", "name": "A", "idList": "5abbe4b7ddc1b351ef961416",
                      "labels": [{"id": "5abbe4b7ddc1b351ef961418", "name": "Bug", "color": "red"}]},
                     {"id": "6abbe4b7ddc1b351ef961414", "name": "B", "idList": "5abbe4b7ddc1b351ef961416",
                      "labels": [{"id": "5abbe4b7ddc1b351ef961418", "name": "Bug", "color": "red"}]}]
                    """#),
                Response(
                    "https://api.example.com/1/boards/x/lists",
                    #"""
                    [{"id": "5abbe4b7ddc1b351ef961416", "name": "To do", "pos": 2},
                     {"id": "7abbe4b7ddc1b351ef961416", "name": "Done", "pos": 3}]
                    """#),
            ],
            """
            entity Card id
            entity List id
            entity Label id
            relation Card.list one List
            relation Card.labels many Label
            type Card.id text
            type Card.name text
            type List.id text
            type List.name text
            type List.pos integer
            type Label.id text
            type Label.name text
            type Label.color text
            records cards $
            records lists $
            """),
        Sample(
            "Identities in metadata",
            [
                Response(
                    "https://k.example.com/api/v1/pods",
                    #"""
                    {"kind": "PodList", "metadata": {"resourceVersion": "10245", "continue": "ENCODED"}, "items": [
                     {"metadata": {"name": "web-1", "uid": "0f8fad5b-d9cb-469f-a165-70867728950e"},
                      "spec": {"nodeName": "n1", "containers": [{"name": "c", "image": "nginx"}]}},
                     {"metadata": {"name": "web-2", "uid": "1f8fad5b-d9cb-469f-a165-70867728950e"},
                      "spec": {"nodeName": "n1", "containers": []}}]}
                    """#)
            ],
            """
            entity Pod metadata_uid
            entity PodContainer -
            relation Pod.spec_containers many PodContainer
            type Pod.metadata_name text
            type Pod.metadata_uid uuid
            type Pod.spec_nodeName text
            type PodContainer.name text
            type PodContainer.image text
            page pods cursor metadata.continue continue
            records pods items
            """),
        Sample(
            "Identities in a system object",
            [
                Response(
                    "https://cdn.example.com/spaces/x/entries",
                    #"""
                    {"sys": {"type": "Array"}, "total": 3, "skip": 0, "limit": 2, "items": [
                     {"sys": {"id": "nyancat", "createdAt": "2013-06-27T22:46:19.513Z"}, "fields": {"name": "Nyan Cat"}},
                     {"sys": {"id": "garfield", "createdAt": "2013-06-28T22:46:19.513Z"}, "fields": {"name": "Garfield"}}]}
                    """#)
            ],
            """
            entity Entry sys_id
            type Entry.sys_id text
            type Entry.sys_createdAt date
            type Entry.fields_name text
            page entries offset skip 0
            records entries items
            """),
    ]
}

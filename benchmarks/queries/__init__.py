"""Does recall find what is needed whatever shape the query has: question, order, end of a chat, key words?"""
